#include "collector/ingest/cuda/kernel_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "collector/ingest/diagnostics/diagnostic.hpp"
#include "common/code/demangle/demangle.hpp"

namespace prof::ingest {

using wire::KernelProfileReason;
using wire::KernelProfileStatus;

namespace {

constexpr const char* kRangeFunctionNames[] = {
#define X(name) #name,
    PROF_RANGE_FUNCTIONS(X)
#undef X
};

constexpr std::string_view kClock = "gpc__cycles_elapsed.avg.per_second";

// Endings of CUPTI's units, and the words of Nsight Compute.
constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
    {"percent", "%"},
    {"nanosecond", "ns"},
    {"cycle/second", "hz"},
    {"byte/second", "byte/s"},
    {"byte/l2_sector", "byte/sector"},
    {"instruction/gpc_cycle", "inst/cycle"},
    {"instruction/cycle", "inst/cycle"},
    {"byte/dram_cycle", "byte/cycle"},
    {"_cycle", "cycle"},
    {"instruction", "inst"},
    {"_sector", "sector"},
    {"branch_target", "branches"},
    {"warp", "warp"},
    {"byte", "byte"},
};

// What the user can do about CUPTI's errors, by their numbers.
constexpr std::pair<std::uint32_t, const char*> kRefusals[] = {
    {8, "there is too little memory"},
    {14, "libcupti does not fit the driver; name one that does with --cupti-path"},
    {15,
     "libnvperf_host or libnvperf_target was not found beside libcupti, or the driver is older"},
    {26,
     "another tool uses the counters of this GPU (nsys, ncu, DCGM, another prof). End it; DCGM "
     "pauses with: dcgmi profile --pause"},
    {27, "this GPU or driver does not support it"},
    {33, "profiling is not enabled for this virtual GPU"},
    {35,
     "the driver lets only administrators read counters. Run prof as root, or set "
     "NVreg_RestrictProfilingToAdminUsers=0 for the nvidia kernel module"},
    {36, "the program uses CUPTI's older interface for counters"},
    {40, "profiling is not allowed for this virtual GPU"},
    {41, "the GPU is in the mode for confidential computing"},
    {42, "mining processors have no counters"},
    {43, "the counters of a MIG instance cannot be read"},
    {44, "GPUs that are linked by SLI have no counters"},
    {45, "there are no counters in WSL"},
};

std::string failure_text(const wire::KernelProfileRecord& record) {
  const char* function = record.function < std::size(kRangeFunctionNames)
                             ? kRangeFunctionNames[record.function]
                             : "CUPTI";
  for (const auto& [result, text] : kRefusals)
    if (result == record.result) return fmt::format("{} ({}: error {})", text, function, result);
  return fmt::format("{} failed with error {}", function, record.result);
}

const char* status_name(KernelProfileStatus status) {
  switch (status) {
    case KernelProfileStatus::kOk:
      return "ok";
    case KernelProfileStatus::kRefused:
      return "refused";
    case KernelProfileStatus::kFailed:
      break;
  }
  return "failed";
}

const char* mode_name(const wire::KernelProfileRecord& record) {
  return record.header.flags == static_cast<std::uint8_t>(wire::KernelReplay::kKernel) ? "kernel"
                                                                                       : "none";
}

}  // namespace

std::string_view metric_unit(std::string_view cupti_unit) {
  for (const auto& [ending, unit] : kUnits)
    if (cupti_unit.ends_with(ending)) return unit;
  return {};
}

void KernelProfiles::define(const wire::KernelMetricNameRecord& record) {
  names_.try_emplace({record.chip, record.name}, record);
}

void KernelProfiles::profile(std::uint32_t serial, const wire::KernelProfileRecord& record) {
  profiles_.push_back({serial, record, {}});
}

void KernelProfiles::metric(const wire::KernelMetricRecord& record) {
  if (profiles_.empty() || !std::isfinite(record.value)) return;
  profiles_.back().values.push_back({record.name, record.value, record.header.aux});
}

std::string KernelProfiles::demangled(std::uint64_t name) const {
  return std::string(demangle::demangle_kernel(strings_.text(name)).demangled);
}

std::string KernelProfiles::reason_of(const wire::KernelProfileRecord& record) const {
  switch (record.reason) {
    case KernelProfileReason::kNone:
      break;
    case KernelProfileReason::kWaitsForOthers:
      return "the kernel waits for other GPUs, so it is not replayed (--replay=none)";
    case KernelProfileReason::kCaptured:
      return "the launch was captured into a graph";
    case KernelProfileReason::kManyPasses:
      return "the metrics take several passes, and --replay=none allows one (prof kernel --dry-run "
             "counts them)";
    case KernelProfileReason::kOtherLaunches:
      return "kernels of other launches were counted, too";
    case KernelProfileReason::kNoMetrics:
      return "CUPTI knows none of the metrics on this chip";
  }
  return record.status == KernelProfileStatus::kOk ? std::string() : failure_text(record);
}

void KernelProfiles::write_names() {
  for (const auto& [key, record] : names_) {
    const auto id = static_cast<std::int64_t>(ids_.size());
    ids_.emplace(key, id);
    writer_.add("PROF_METRIC_NAMES", {id, std::string(strings_.text(record.name)),
                                      std::string(metric_unit(strings_.text(record.unit))),
                                      std::string(strings_.text(record.description)),
                                      std::string(strings_.text(record.chip))});
  }
}

void KernelProfiles::write(std::int64_t id, const Profile& profile) {
  const wire::KernelProfileRecord& record = profile.record;
  report::KernelProfileRow row;
  row.id = id;
  row.global_pid = processes_.global_pid_of(profile.serial);
  row.correlation = record.header.aux;
  row.device = record.device;
  row.context = record.context;
  row.stream = record.stream;
  row.name = writer_.string_id(demangled(record.name));
  row.grid_x = record.grid[0];
  row.grid_y = record.grid[1];
  row.grid_z = record.grid[2];
  row.block_x = record.block[0];
  row.block_y = record.block[1];
  row.block_z = record.block[2];
  row.invocation = record.invocation;
  row.mode = mode_name(record);
  row.passes = record.passes;
  row.caches = "warm";
  row.status = status_name(record.status);
  if (std::string reason = reason_of(record); !reason.empty())
    row.set<&report::KernelProfileRow::reason>(
        std::string_view(*reasons_.insert(std::move(reason)).first));
  for (const Value& value : profile.values) {
    if (strings_.text(value.metric) != kClock) continue;
    row.set<&report::KernelProfileRow::clock_min>(std::llround(value.value));
    row.set<&report::KernelProfileRow::clock_max>(std::llround(value.value));
  }
  writer_.add(row);
  for (const Value& value : profile.values) {
    const auto metric = ids_.find({record.chip, value.metric});
    if (metric == ids_.end()) continue;
    report::KernelMetricRow each;
    each.profile = id;
    each.metric = metric->second;
    each.value = value.value;
    each.pass = value.pass;
    writer_.add(each);
  }
}

void KernelProfiles::write_why_none(std::int64_t end) {
  if (seen_.empty() || !profiles_.empty()) return;
  constexpr std::size_t kMaxNames = 50;
  std::set<std::string> names;
  for (const std::uint64_t name : seen_) names.insert(demangled(name));
  std::string list;
  std::size_t number = 0;
  for (const std::string& name : names) {
    if (++number > kMaxNames) break;
    list += (list.empty() ? "" : "; ") + name;
  }
  write_diagnostic(writer_,
                   {end, DiagnosticSource::kInjection, Severity::kWarning,
                    fmt::format("No kernel was profiled. Kernels that were launched: {}.", list)});
}

// One line for each reason why launches were not profiled.
void KernelProfiles::write_why_some(std::int64_t end) {
  std::map<std::string, std::uint64_t> counts;
  for (const Profile& profile : profiles_)
    if (profile.record.status != KernelProfileStatus::kOk) ++counts[reason_of(profile.record)];
  for (const auto& [reason, count] : counts)
    write_diagnostic(
        writer_,
        {end, DiagnosticSource::kInjection, Severity::kWarning,
         fmt::format("Selected launches that were not profiled: {}. Reason: {}.", count, reason)});
}

void KernelProfiles::finish(std::int64_t end) {
  std::ranges::stable_sort(profiles_, {}, [](const Profile& each) { return each.record.time; });
  write_names();
  std::int64_t id = 0;
  for (const Profile& profile : profiles_) write(id++, profile);
  write_why_none(end);
  write_why_some(end);
}

}  // namespace prof::ingest
