// Samples sources one after another on a thread of the collector, each at its own rate.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "collector/metrics/metric_buffer.hpp"
#include "common/base/result.hpp"

namespace prof::metrics {

// Counters whose reading takes little time.
class PolledSource {
 public:
  virtual ~PolledSource() = default;
  // Describes the counters, before the first sample. Returns false if there is nothing to sample; a
  // remark says why if the user asked for it. Called, like sample(), on the thread that samples.
  virtual bool open(MetricBuffer& buffer) = 0;
  // Takes a sample of each group. Returns false if that is no longer possible; a remark says why.
  virtual bool sample(MetricBuffer& buffer) = 0;
};

class PollingThread {
 public:
  // The buffer outlives the object.
  explicit PollingThread(MetricBuffer& buffer) : buffer_(buffer) {}
  // Takes a last sample of each source and ends the thread.
  ~PollingThread();
  PollingThread(const PollingThread&) = delete;
  PollingThread& operator=(const PollingThread&) = delete;

  // Adds a source. Called before start().
  void add(std::unique_ptr<PolledSource> source, std::chrono::nanoseconds period);
  // Starts the thread; does nothing without sources. The caller blocks signals, so that the thread
  // gets none.
  base::Status start();
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::unique_ptr<PolledSource> source;
    std::chrono::nanoseconds period;
    Clock::time_point due{};
  };

  void run();
  void sample_due(Clock::time_point now);

  MetricBuffer& buffer_;
  std::vector<Entry> entries_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stops_ = false;  // protected by the mutex
  std::thread thread_;
};

}  // namespace prof::metrics
