#include "exporters/analysis/analyze/findings/gpu_load.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/insight/metrics/metric_averages.hpp"
#include "exporters/analysis/insight/metrics/physical_gpus.hpp"

namespace prof::analyze {

namespace {

using events::MeteredGpu;
using events::MetricSample;
using insight::Interval;
using insight::MetricGroup;

constexpr std::int64_t kMinSamples = 3;
constexpr std::int64_t kFull = 90;  // percent

std::vector<std::size_t> percents_with(const MeteredGpu& gpu, std::string_view prefix) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < gpu.metrics.size(); ++i)
    if (gpu.metrics[i].is_percent() && gpu.metrics[i].name.starts_with(prefix))
      indices.push_back(i);
  return indices;
}

double average_of(const MeteredGpu& gpu, const MetricGroup& group, std::string_view prefix) {
  const int index = gpu.index_of(prefix);
  if (index < 0 || group.metrics[static_cast<std::size_t>(index)].count == 0) return -1;
  return group.metrics[static_cast<std::size_t>(index)].average();
}

LoadPercents percents_of(const MeteredGpu& gpu, const MetricGroup& group) {
  const double read = average_of(gpu, group, "DRAM Read Bandwidth");
  const double written = average_of(gpu, group, "DRAM Write Bandwidth");
  return {average_of(gpu, group, "SMs Active"), average_of(gpu, group, "Compute Warps in Flight"),
          average_of(gpu, group, "Tensor Active"), read < 0 || written < 0 ? -1 : read + written};
}

// Collects the samples of one GPU.
class LoadBuilder {
 public:
  LoadBuilder(const insight::GpuWork& work, const insight::PhysicalGpus& gpus,
              const MeteredGpu& gpu)
      : gpu_(gpu),
        groups_(make_groups(work, gpus)),
        averager_(gpu, groups_),
        pcie_(percents_with(gpu, "PCIe")),
        nvlink_(percents_with(gpu, "NVLink")),
        active_(gpu.index_of("GR Active")) {}
  LoadBuilder(const LoadBuilder&) = delete;
  LoadBuilder& operator=(const LoadBuilder&) = delete;

  bool has_work() const { return load_.longest.has_value(); }

  void add(const MetricSample& sample) {
    averager_.add(sample);
    const Interval time{sample.start, sample.start + gpu_.period};
    if (is_full(sample, pcie_)) full_pcie_.push_back(time);
    if (is_full(sample, nvlink_)) full_nvlink_.push_back(time);
    if (active_ >= 0 && sample.values[static_cast<std::size_t>(active_)] >= 50 &&
        is_between_work(time))
      foreign_.push_back(time);
  }

  bool has_foreign_work() const { return !foreign_.empty(); }

  // `own` has the times in which a process of the report may have made the GPU work.
  GpuLoad take(const insight::Intervals& own) {
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (groups_[i].samples < kMinSamples) continue;
      kernels_[i].percents = percents_of(gpu_, groups_[i]);
      load_.kernels.push_back(kernels_[i]);
    }
    load_.gpu = gpu_.id();
    load_.percents = percents_of(gpu_, groups_.back());
    load_.kernel_time = insight::total(groups_.back().times);
    load_.full_pcie = insight::difference(insight::merged(std::move(full_pcie_)), computing_);
    load_.full_nvlink = insight::difference(insight::merged(std::move(full_nvlink_)), computing_);
    load_.foreign = insight::difference(insight::merged(std::move(foreign_)), own);
    return std::move(load_);
  }

 private:
  // True if nothing of the report runs in this time, but before and after it. The time before the
  // first work does not count, because the program sets the GPU up; neither does the time after the
  // last work, when it may clear the GPU.
  bool is_between_work(const Interval& time) const {
    return !busy_.empty() && time.start >= busy_.front().end && time.end <= busy_.back().start &&
           covered(busy_, time.start, time.end) == 0;
  }

  // Makes a group for each kernel name, in the order of kernels_. The last group has all times with
  // computation.
  std::vector<MetricGroup> make_groups(const insight::GpuWork& work,
                                       const insight::PhysicalGpus& gpus) {
    std::map<std::int64_t, std::size_t> numbers;  // by name
    std::vector<Interval> all;
    std::vector<Interval> computing;
    for (const insight::Operation& each : work.operations()) {
      if (gpus.of(work.devices()[each.device]) != gpu_.id()) continue;
      all.push_back(each.interval());
      if (!load_.longest || each.duration() > load_.longest->duration()) load_.longest = each;
      if (each.kind != insight::WorkKind::kKernel) continue;
      if (!work.kernel_kind(each.name).communication) computing.push_back(each.interval());
      const auto [number, is_new] = numbers.try_emplace(each.name, kernels_.size());
      if (is_new) kernels_.push_back({each, 0, 0, {}});
      KernelLoad& kernel = kernels_[number->second];
      ++kernel.count;
      kernel.time += each.duration();
      if (each.duration() > kernel.longest.duration()) kernel.longest = each;
    }
    computing_ = insight::merged(std::move(computing));
    std::vector<std::vector<Interval>> alone(kernels_.size());
    for (const insight::SoloTime& solo : insight::solo_times(work, gpus, gpu_.id()))
      if (const auto operation = work.at(solo.operation);
          operation.kind == insight::WorkKind::kKernel)
        alone[numbers[operation.name]].push_back(solo.time);
    std::vector<MetricGroup> groups;
    for (std::vector<Interval>& times : alone)
      groups.push_back({insight::merged(std::move(times))});
    groups.push_back({computing_});
    busy_ = insight::merged(std::move(all));
    return groups;
  }

  static bool is_full(const MetricSample& sample, const std::vector<std::size_t>& indices) {
    return std::any_of(indices.begin(), indices.end(),
                       [&](std::size_t index) { return sample.values[index] >= kFull; });
  }

  const MeteredGpu& gpu_;
  GpuLoad load_;
  std::vector<KernelLoad> kernels_;
  insight::Intervals busy_;
  insight::Intervals computing_;  // times with kernels that do not communicate
  std::vector<MetricGroup> groups_;
  insight::MetricAverager averager_;
  std::vector<std::size_t> pcie_;
  std::vector<std::size_t> nvlink_;
  int active_;
  std::vector<Interval> full_pcie_;
  std::vector<Interval> full_nvlink_;
  std::vector<Interval> foreign_;
};

// Returns the times of calls that can make the GPU work without a record, such as a launch that
// loads a module. Calls that only wait cannot do that.
insight::Intervals unrecorded_work(const insight::ApiTimeline& calls) {
  std::vector<Interval> times;
  for (const events::ApiCall& call : calls.calls())
    if (calls.kind(call) != insight::CallKind::kWait) times.push_back({call.start, call.end});
  return insight::merged(std::move(times));
}

}  // namespace

base::Result<std::vector<GpuLoad>> read_gpu_loads(const report::ReportReader& reader,
                                                  const insight::ReportActivity& timeline) {
  std::vector<GpuLoad> loads;
  const auto gpus = events::read_metered_gpus(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  if (gpus->empty()) return loads;
  const auto numbers = insight::PhysicalGpus::read(reader);
  if (!numbers) return tl::make_unexpected(numbers.error());
  std::vector<std::unique_ptr<LoadBuilder>> builders;
  for (const MeteredGpu& gpu : *gpus)
    builders.push_back(std::make_unique<LoadBuilder>(timeline.work, *numbers, gpu));
  const base::Status read = events::for_each_metric_sample(
      reader, *gpus, [&](const MetricSample& sample) { builders[sample.gpu]->add(sample); });
  if (!read) return tl::make_unexpected(read.error());
  const bool has_foreign_work = std::ranges::any_of(
      builders, [](const auto& builder) { return builder->has_foreign_work(); });
  const insight::Intervals own =
      has_foreign_work ? unrecorded_work(timeline.calls) : insight::Intervals();
  for (const auto& builder : builders)
    if (builder->has_work()) loads.push_back(builder->take(own));
  return loads;
}

}  // namespace prof::analyze
