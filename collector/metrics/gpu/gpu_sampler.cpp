#include "collector/metrics/gpu/gpu_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "collector/spool/metric_records.hpp"

namespace prof::metrics {

using std::chrono::milliseconds;

namespace {

// A read costs 1 ms in addition to the cost of its samples. At 50 kHz some samples are lost, and
// longer periods lose more (H200: 32 % with 10 ms, 47 % with 30 ms).
milliseconds read_period(std::uint32_t frequency) {
  if (frequency > 40'000) return milliseconds(10);
  return milliseconds(frequency > 20'000 ? 20 : 100);
}

// Samples in a period plus the time by which the reader may be late. Samples that do not fit into
// an image are lost. The capacity is not larger, because images are cleared as a whole.
std::uint32_t usual_capacity(std::uint32_t frequency) {
  const milliseconds period = read_period(frequency);
  const milliseconds lateness = std::min(2 * period, milliseconds(50));
  return std::max(32U, frequency * static_cast<std::uint32_t>((period + lateness).count()) / 1000);
}

// Computing the metrics of a sample takes about 50 us.
unsigned evaluator_threads(std::uint32_t frequency) {
  return std::clamp(1 + frequency / 10'000, 1U, 6U);
}

}  // namespace

spool::MetricValue rounded(double value) {
  if (value > 0 && value < 1) return 1;
  return static_cast<std::int64_t>(std::llround(value));
}

GpuSampler::GpuSampler(const CuptiLibrary& cupti, const CounterConfig& config,
                       std::unique_ptr<PmSampling> sampling, std::uint32_t frequency,
                       std::string label, GpuOutput& output)
    : cupti_(cupti),
      config_(config),
      sampling_(std::move(sampling)),
      interval_(1'000'000'000 / frequency),
      period_(read_period(frequency)),
      capacity_(usual_capacity(frequency)),
      evaluators_(evaluator_threads(frequency)),
      label_(std::move(label)),
      output_(output) {}

GpuSampler::~GpuSampler() { stop(); }

base::Status GpuSampler::start(std::uint32_t group) try {
  group_ = group;
  // Each evaluator uses one image, one is being read, and one waits.
  for (unsigned i = 0; i < evaluators_ + 2; ++i) {
    auto image = sampling_->make_image(capacity_);
    if (!image) return tl::make_unexpected(image.error());
    free_.push_back(std::make_unique<CounterImage>(std::move(*image)));
  }
  if (base::Status started = sampling_->start(); !started) return started;
  reader_ = std::thread([this] { read_all(); });
  for (unsigned i = 0; i < evaluators_; ++i) workers_.emplace_back([this] { evaluate_all(); });
  return {};
} catch (const std::system_error& error) {
  return base::fail(std::string("no thread can be started: ") + error.what());
}

void GpuSampler::stop() {
  if (!reader_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  reader_.join();
  for (std::thread& worker : workers_) worker.join();
  report_lost();
}

// Waits for an image if all are in use.
GpuSampler::Image GpuSampler::take_image() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !free_.empty(); });
  Image image = std::move(free_.back());
  free_.pop_back();
  return image;
}

void GpuSampler::read_all() {
  auto due = Clock::now();
  for (;;) {
    due = std::max(due + period_, Clock::now());
    std::unique_lock lock(mutex_);
    if (changed_.wait_until(lock, due, [this] { return stops_; })) break;
    lock.unlock();
    if (!read_once()) break;
  }
  static_cast<void>(sampling_->stop());
  read_once();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

// Returns false if nothing is left to read.
bool GpuSampler::read_once() {
  Image image = take_image();
  const PmSampling::Decoded decoded = sampling_->decode(*image);
  push(std::move(image));
  if (decoded == PmSampling::Decoded::kDone) return true;
  if (decoded == PmSampling::Decoded::kOverflow) return restart();
  const std::lock_guard lock(mutex_);
  if (!stops_)
    output_.remark(
        spool::Severity::kWarning,
        fmt::format("{}: GPU metrics end early, because the GPU does not deliver samples "
                    "any more: {}.",
                    label_, sampling_->error().message));
  return false;
}

// Starts again after an overflow. The gap between the samples shows how many were lost.
bool GpuSampler::restart() {
  {
    const std::lock_guard lock(mutex_);
    if (stops_) return false;
  }
  static_cast<void>(sampling_->stop());
  begins_ = true;
  base::Status started = sampling_->start();
  if (!started && sampling_->reopen()) started = sampling_->start();
  if (!started)
    output_.remark(spool::Severity::kWarning,
                   fmt::format("{}: GPU metrics end early, because the GPU's buffer of samples was "
                               "full and sampling cannot be started again: {}.",
                               label_, started.error().message));
  return started.has_value();
}

void GpuSampler::push(Image image) {
  Job job{std::move(image), {}, next_job_, false};
  for (std::size_t i = 0; i < job.image->samples; ++i)
    job.times.push_back(sampling_->start_of(*job.image, i));
  if (job.times.empty()) sampling_->clear(*job.image);
  const std::lock_guard lock(mutex_);
  if (job.times.empty()) {
    free_.push_back(std::move(job.image));
    return;
  }
  job.begins = std::exchange(begins_, false);
  ++next_job_;
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void GpuSampler::evaluate_all() {
  Evaluator evaluator(cupti_, config_);
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    const std::vector<std::byte> bytes = evaluate(job, evaluator);
    sampling_->clear(*job.image);
    lock.lock();
    free_.push_back(std::move(job.image));
    changed_.notify_all();
    lock.unlock();
    write_in_order(job, bytes);
  }
}

// The first sample after a start covers the time since an earlier, unknown moment.
std::vector<std::byte> GpuSampler::evaluate(const Job& job, Evaluator& evaluator) const {
  const std::size_t count = config_.metrics.size();
  std::vector<double> values(count);
  std::vector<spool::MetricValue> kept(count);
  std::vector<std::byte> bytes;
  bytes.reserve(job.times.size() * (sizeof(spool::MetricSample) + count * sizeof kept[0]));
  const auto append = [&](std::span<const std::byte> part) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  };
  for (std::size_t i = job.begins ? 1 : 0; i < job.times.size(); ++i) {
    evaluator.evaluate(job.image->bytes, i, values);
    spool::MetricSample sample{job.times[i], 0};
    for (std::size_t k = 0; k < count; ++k) {
      const double value = values[k] * config_.metrics[k].factor;
      if (std::isfinite(value))
        kept[k] = rounded(value);
      else
        sample.missing |= std::uint64_t{1} << k;
    }
    append(std::as_bytes(std::span(&sample, 1)));
    append(std::as_bytes(std::span(kept)));
  }
  return bytes;
}

void GpuSampler::write_in_order(const Job& job, std::span<const std::byte> bytes) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_written_ == job.number; });
  }
  count_lost(bytes);
  output_.samples(group_, bytes);
  const std::lock_guard lock(mutex_);
  ++next_written_;
  changed_.notify_all();
}

void GpuSampler::count_lost(std::span<const std::byte> bytes) {
  const std::size_t stride =
      sizeof(spool::MetricSample) + config_.metrics.size() * sizeof(spool::MetricValue);
  for (; bytes.size() >= stride; bytes = bytes.subspan(stride)) {
    std::uint64_t time = 0;
    std::memcpy(&time, bytes.data(), sizeof time);
    const std::uint64_t steps =
        last_time_ == 0 || time < last_time_ ? 1 : (time - last_time_ + interval_ / 2) / interval_;
    if (steps > 1) {
      lost_ += steps - 1;
      ++gaps_;
    }
    last_time_ = time;
    ++written_;
  }
}

void GpuSampler::report_lost() {
  if (lost_ == 0 || !sampling_->has_fixed_interval()) return;
  const auto all = static_cast<double>(lost_ + written_);
  output_.remark(
      spool::Severity::kWarning,
      fmt::format("{}: {} of {} samples of GPU metrics ({:.2g} %) were lost in {} gap{}, because "
                  "prof could not read the GPU's counters as fast as they came. Lower "
                  "--gpu-metrics-frequency, or choose fewer metrics with --gpu-metrics-set.",
                  label_, lost_, lost_ + written_, 100 * static_cast<double>(lost_) / all, gaps_,
                  gaps_ == 1 ? "" : "s"));
}

}  // namespace prof::metrics
