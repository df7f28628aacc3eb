// Samples one GPU: a thread moves counters from the GPU's buffer into images, and others compute
// metrics of these. Both take about as long, together most of a CPU core at 10 kHz.
//
// Only the reading thread samples, and each evaluating thread has a host object: CUPTI does not say
// that these could be shared. All images have the same capacity, because CUPTI makes an image ready
// for what it was last asked the size of.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collector/metrics/gpu/gpu_output.hpp"
#include "collector/metrics/gpu/pm_sampling.hpp"

namespace prof::metrics {

class GpuSampler {
 public:
  // `label`: of the GPU in messages. The references outlive the object.
  GpuSampler(const CuptiLibrary& cupti, const CounterConfig& config,
             std::unique_ptr<PmSampling> sampling, std::uint32_t frequency, std::string label,
             GpuOutput& output);
  ~GpuSampler();

  base::Status start(std::uint32_t group);
  // Takes what the GPU has sampled by now.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  using Image = std::unique_ptr<CounterImage>;
  struct Job {
    Image image;
    std::vector<std::uint64_t> times;  // starts of the samples, CLOCK_MONOTONIC_RAW, ns
    std::uint64_t number;              // jobs are written in their order
    bool begins;                       // its first sample is the first after a start
  };

  Image take_image();

  void read_all();
  bool read_once();
  bool restart();
  void push(Image image);

  void evaluate_all();
  std::vector<std::byte> evaluate(const Job& job, Evaluator& evaluator) const;
  void write_in_order(const Job& job, std::span<const std::byte> bytes);
  void count_lost(std::span<const std::byte> bytes);
  void report_lost();

  const CuptiLibrary& cupti_;
  const CounterConfig& config_;
  const std::unique_ptr<PmSampling> sampling_;
  const std::uint64_t interval_;  // ns
  const std::chrono::milliseconds period_;
  const std::uint32_t capacity_;  // of an image
  const unsigned evaluators_;
  const std::string label_;
  GpuOutput& output_;
  std::uint32_t group_ = 0;

  std::mutex mutex_;  // of what follows, up to the threads
  std::condition_variable changed_;
  bool stops_ = false;
  bool ended_ = false;       // no more jobs come
  std::vector<Image> free_;  // the last has been in use most recently
  std::deque<Job> jobs_;
  std::uint64_t next_job_ = 0;
  std::uint64_t next_written_ = 0;

  // Of the reading thread.
  bool begins_ = true;

  // Of whose turn it is to write.
  std::uint64_t last_time_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t gaps_ = 0;

  std::thread reader_;
  std::vector<std::thread> workers_;
};

// The value of a metric in the report, as nsys rounds: to a whole number, but not to 0.
spool::MetricValue rounded(double value);

}  // namespace prof::metrics
