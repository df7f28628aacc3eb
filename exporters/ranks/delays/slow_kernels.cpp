#include "exporters/ranks/delays/slow_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "common/base/median.hpp"
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/throttling.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/insight/api_timeline.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::ranks {

namespace {

// Smaller factors cannot be told apart from noise.
constexpr double kSmallest = 1.02;

// All kernels are slow if those with this part of the time are slower by half of the average.
constexpr double kMostOfTheTime = 0.8;
constexpr std::size_t kFewestKernels = 3;

// A kernel on the rank, and on the median rank.
struct KernelComparison {
  const std::string* name;
  double time;  // ns, of all launches
  double count;
  double median_count;  // of launches on the median rank
  double median_mean;   // ns of a launch there; 0: no other rank has the kernel

  double more() const { return std::max(0.0, count - median_count) * time / count; }
  double longer() const { return median_mean > 0 ? time - median_mean * count : 0; }
  double factor() const { return time / count / median_mean; }
};

std::vector<KernelComparison> compared(const JobCollectives& job,
                                       const std::vector<std::size_t>& peers, std::size_t rank) {
  std::vector<KernelComparison> result;
  for (const auto& [name, sum] : job.ranks[rank].times.kernels) {
    std::vector<double> counts;
    std::vector<double> means;
    bool is_shared = false;
    for (const std::size_t peer : peers) {
      const auto& kernels = job.ranks[peer].times.kernels;
      const auto found = kernels.find(name);
      const KernelSum of = found == kernels.end() ? KernelSum{} : found->second;
      counts.push_back(static_cast<double>(of.count));
      if (of.count == 0) continue;
      is_shared |= peer != rank;
      means.push_back(static_cast<double>(of.time) / static_cast<double>(of.count));
    }
    result.push_back({&name, static_cast<double>(sum.time), static_cast<double>(sum.count),
                      base::lower_median(counts), is_shared ? base::lower_median(means) : 0});
  }
  return result;
}

// Returns by how much all kernels are slower together, or nothing.
double factor_of_all(const std::vector<KernelComparison>& kernels) {
  double time = 0;
  double usual = 0;
  std::size_t count = 0;
  for (const KernelComparison& each : kernels) {
    if (each.median_mean <= 0) continue;
    time += each.time;
    usual += each.median_mean * each.count;
    ++count;
  }
  if (count < kFewestKernels || usual <= 0 || time / usual < kSmallest) return 1;
  const double factor = time / usual;
  double slower = 0;
  for (const KernelComparison& each : kernels)
    if (each.median_mean > 0 && each.factor() - 1 >= (factor - 1) / 2) slower += each.time;
  return slower >= kMostOfTheTime * time ? factor : 1;
}

// Returns the NVTX range in which a process launches a kernel most often.
base::Result<std::string> range_of(const report::ReportReader& reader, std::int64_t global_pid,
                                   const std::string& kernel) {
  const auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  const auto calls = insight::ApiTimeline::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  const auto tree = events::RangeTree::read(reader);
  if (!tree) return tl::make_unexpected(tree.error());
  std::map<std::string, std::int64_t> ranges;
  for (const insight::Operation& each : work->operations()) {
    if (each.kind != insight::WorkKind::kKernel || work->global_pid(each) != global_pid ||
        work->kernel_name(each.name) != kernel)
      continue;
    const auto launch = calls->launching(global_pid, each.correlation);
    if (!launch) continue;
    const std::int32_t range = tree->innermost(launch->global_tid, launch->start);
    if (range != events::RangeTree::kNone) ++ranges[tree->name_of(tree->at(range))];
  }
  const auto most =
      std::ranges::max_element(ranges, {}, [](const auto& range) { return range.second; });
  return most == ranges.end() ? std::string() : most->first;
}

// Returns how the GPU on which a process works was throttled. Empty: it was not, or nobody knows.
base::Result<std::string> throttling(const report::ReportReader& reader, std::int64_t global_pid) {
  const auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  auto throttled = analyze::read_throttled_gpus(reader, *work);
  if (!throttled) return tl::make_unexpected(throttled.error());
  std::erase_if(*throttled, [&](const analyze::ThrottledGpu& each) {
    return work->global_pid(each.longest) != global_pid;
  });
  const auto worst = std::ranges::max_element(*throttled, {}, &analyze::ThrottledGpu::lost);
  return worst == throttled->end() ? std::string() : analyze::text_of(*worst);
}

}  // namespace

base::Result<SlowKernels> slow_kernels(const JobCollectives& job, const JobDelays& delays,
                                       std::size_t rank) {
  using Kind = SlowKernels::Kind;
  SlowKernels result;
  const std::vector<KernelComparison> kernels = compared(job, delays.peers_of(rank), rank);
  const auto excess = [](const KernelComparison& each) {
    return std::max(each.more(), each.longer());
  };
  const auto most = std::ranges::max_element(kernels, {}, excess);
  if (most == kernels.end() || excess(*most) <= 0) return result;
  result.name = *most->name;
  const double all = factor_of_all(kernels);
  if (most->more() > most->longer()) {
    result.kind = Kind::kMore;
    result.launches = std::llround(most->count - most->median_count);
  } else if (all > 1) {
    result.kind = Kind::kAll;
    result.factor = all;
  } else if (most->factor() >= kSmallest) {
    result.kind = Kind::kOne;
    result.factor = most->factor();
  }
  if (result.kind == Kind::kNone || result.kind == Kind::kOne) return result;
  const auto reader = report::ReportReader::open(job.paths[job.ranks[rank].report]);
  if (!reader) return tl::make_unexpected(reader.error());
  if (const base::Status made = events::make_views(*reader); !made)
    return tl::make_unexpected(made.error());
  const std::int64_t process = job.ranks[rank].global_pid;
  auto detail = result.kind == Kind::kMore ? range_of(*reader, process, result.name)
                                           : throttling(*reader, process);
  if (!detail) return tl::make_unexpected(detail.error());
  (result.kind == Kind::kMore ? result.range : result.throttling) = *std::move(detail);
  return result;
}

std::string text_of(const SlowKernels& kernels) {
  constexpr std::size_t kLongest = 60;
  const std::string name = base::mark_name("kernel", tables::one_line(kernels.name, kLongest));
  switch (kernels.kind) {
    case SlowKernels::Kind::kNone:
      break;
    case SlowKernels::Kind::kAll:
      return fmt::format("its kernels take {:.2f} times those of the median rank{}{}",
                         kernels.factor, kernels.throttling.empty() ? "" : ": ",
                         kernels.throttling);
    case SlowKernels::Kind::kOne:
      return fmt::format("{} takes {:.2f} times that of the median rank", name, kernels.factor);
    case SlowKernels::Kind::kMore:
      return fmt::format("it launches {} {} times more{}{}", name, kernels.launches,
                         kernels.range.empty() ? "" : " in the range ",
                         kernels.range.empty() ? "" : base::mark_name("range", kernels.range));
  }
  return {};
}

}  // namespace prof::ranks
