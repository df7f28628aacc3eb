// Samples one GPU: a thread moves counters from the GPU's buffer into images, and other threads
// compute metrics from the images. Both take about as long, together most of a CPU core at 10 kHz.
//
// Only the reading thread samples, and each evaluating thread has its own host object, because
// CUPTI does not say that these objects can be shared. All images have the same capacity, because
// CUPTI initializes an image with the last capacity for which it was asked for a size.
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
  // `label`: name of the GPU in messages. The references outlive the object.
  GpuSampler(const CuptiLibrary& cupti, const CounterConfig& config,
             std::unique_ptr<PmSampling> sampling, std::uint32_t frequency, std::string label,
             GpuOutput& output);
  ~GpuSampler();

  base::Status start(std::uint32_t group);
  // Stops sampling, and writes what the GPU has sampled by now.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  using Image = std::unique_ptr<CounterImage>;
  struct Job {
    Image image;
    std::vector<std::uint64_t> times;  // starts of the samples, CLOCK_MONOTONIC_RAW, ns
    std::uint64_t number;              // jobs are written in order of their numbers
    bool begins;                       // the job's first sample is the first after a start
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
  const std::uint32_t capacity_;  // samples in an image
  const unsigned evaluators_;
  const std::string label_;
  GpuOutput& output_;
  std::uint32_t group_ = 0;

  std::mutex mutex_;  // protects the members up to `next_written_`
  std::condition_variable changed_;
  bool stops_ = false;
  bool ended_ = false;       // no more jobs come
  std::vector<Image> free_;  // the last image has been in use most recently
  std::deque<Job> jobs_;
  std::uint64_t next_job_ = 0;
  std::uint64_t next_written_ = 0;

  // Used only by the reading thread.
  bool begins_ = true;

  // Used only by the evaluator whose job is the next to write.
  std::uint64_t last_time_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t gaps_ = 0;

  std::thread reader_;
  std::vector<std::thread> workers_;
};

// Returns a metric's value as nsys rounds it: to a whole number, but values above 0 not to 0.
spool::MetricValue rounded(double value);

}  // namespace prof::metrics
