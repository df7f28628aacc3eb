#include "collector/ingest/cuda/kernel_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "collector/ingest/cuda/kernel_passes.hpp"
#include "collector/ingest/diagnostics/diagnostic.hpp"
#include "common/code/demangle/demangle.hpp"
#include "common/wire/cupti_errors.hpp"

namespace prof::ingest {

using wire::KernelProfileReason;
using wire::KernelProfileStatus;

namespace {

constexpr const char* kRangeFunctionNames[] = {
#define X(name) #name,
    PROF_RANGE_FUNCTIONS(X)
#undef X
};

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

std::string failure_text(const wire::KernelProfileRecord& record) {
  const char* function = record.function < std::size(kRangeFunctionNames)
                             ? kRangeFunctionNames[record.function]
                             : "CUPTI";
  const wire::CuptiError* error = wire::find_cupti_error(record.result);
  if (error == nullptr || *error->reason == '\0')
    return fmt::format("{} failed with error {}", function, record.result);
  return fmt::format("{} ({}: error {}){}{}", error->reason, function, record.result,
                     *error->advice == '\0' ? "" : ". ", error->advice);
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
  switch (static_cast<wire::KernelReplay>(record.header.flags)) {
    case wire::KernelReplay::kKernel:
      return "kernel";
    case wire::KernelReplay::kRotate:
      return "rotate";
    case wire::KernelReplay::kApplication:
      return "application";
    case wire::KernelReplay::kNone:
      break;
  }
  return "none";
}

bool is_rotated(const wire::KernelProfileRecord& record) {
  return record.header.flags == static_cast<std::uint8_t>(wire::KernelReplay::kRotate) &&
         record.rotation != 0;
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

KernelProfiles::KernelProfiles(const StringTable& strings, const ProcessTable& processes,
                               report::ReportWriter& writer)
    : strings_(strings),
      processes_(processes),
      writer_(writer),
      names_(writer.memory()),
      ids_(writer.memory()),
      sum_ids_(writer.memory()),
      seen_(writer.memory()),
      profiles_(writer.memory()),
      values_(writer.memory()),
      instructions_(writer.memory()),
      name_ids_(writer.memory()),
      reasons_(writer.memory()) {}

void KernelProfiles::profile(std::uint32_t serial, const wire::KernelProfileRecord& record) {
  profiles_.push_back({serial, record, values_.size(), 0, instructions_.size(), 0});
}

void KernelProfiles::metric(const wire::KernelMetricRecord& record) {
  if (profiles_.empty() || !std::isfinite(record.value)) return;
  values_.push_back({record.name, record.value});
  ++profiles_.back().num_values;
}

void KernelProfiles::instruction(const wire::KernelInstructionRecord& record,
                                 std::span<const std::byte> counts) {
  if (profiles_.empty()) return;
  instructions_.push_back({record, counts});
  ++profiles_.back().num_instructions;
}

std::string KernelProfiles::demangled(std::uint64_t name) const {
  return std::string(demangle::demangle_kernel(strings_.text(name)).demangled);
}

std::int32_t KernelProfiles::name_id(std::uint64_t name) {
  const auto [found, is_new] = name_ids_.try_emplace(name);
  if (is_new) found->second = writer_.string_id(demangled(name));
  return found->second;
}

std::string KernelProfiles::reason_of(const wire::KernelProfileRecord& record) const {
  switch (record.reason) {
    case KernelProfileReason::kNone:
      break;
    case KernelProfileReason::kWaitsForOthers:
      return "the kernel waits for other GPUs, so it is not replayed (--replay=rotate)";
    case KernelProfileReason::kCaptured:
      return "the launch was captured into a graph";
    case KernelProfileReason::kManyPasses:
      return "the metrics take several passes, and --replay=none allows one (prof kernel --dry-run "
             "counts them)";
    case KernelProfileReason::kOtherLaunches:
      return "kernels of other launches were counted, too";
    case KernelProfileReason::kNoMetrics:
      return "CUPTI knows none of the metrics on this chip";
    case KernelProfileReason::kNoInstructions:
      return "CUPTI counted no instruction of the kernel: CUPTI 13.0 counts the first selected "
             "launch of a process only (select one with -k and -c 1)";
    case KernelProfileReason::kWaitedTooLong:
      return "another thread profiled a kernel for more than 10 s, which may wait for this one";
    case KernelProfileReason::kOtherRun:
      return "the run of the program before had another launch in this place, or did not count it";
    case KernelProfileReason::kNoImage:
      return "the program cannot write a file in prof's temporary folder, so runs cannot be joined";
    case KernelProfileReason::kManyKernels:
      return "there are more than 1024 kernels of different size (choose some with -k)";
  }
  return record.result == 0 ? std::string() : failure_text(record);
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

// Says why the profile has no values, or not all.
std::string KernelProfiles::reason_of_row(const std::vector<const Profile*>& launches) {
  const wire::KernelProfileRecord& record = launches.front()->record;
  const auto note = [&](Lack lack, const std::string& reason) { ++lacks_[{lack, reason}]; };
  std::string reason = reason_of(record);
  if (!reason.empty())
    note(record.status == KernelProfileStatus::kOk ? Lack::kSassMetrics : Lack::kAll, reason);
  if (!is_rotated(record) || launches.size() == record.passes) return reason;
  note(Lack::kPasses,
       fmt::format("the kernel was launched fewer than {} times with this size", record.passes));
  return fmt::format("passes {} to {} are missing: the kernel was not launched often enough{}",
                     launches.size() + 1, record.passes, reason.empty() ? "" : "; " + reason);
}

void KernelProfiles::write(std::int64_t id, const std::vector<const Profile*>& launches) {
  const Profile& profile = *launches.front();
  const wire::KernelProfileRecord& record = profile.record;
  report::KernelProfileRow row;
  row.id = id;
  row.global_pid = processes_.global_pid_of(profile.serial);
  row.correlation = record.header.aux;
  row.device = record.device;
  row.context = record.context;
  row.stream = record.stream;
  row.name = name_id(record.name);
  row.grid_x = record.grid[0];
  row.grid_y = record.grid[1];
  row.grid_z = record.grid[2];
  row.block_x = record.block[0];
  row.block_y = record.block[1];
  row.block_z = record.block[2];
  row.invocation = record.invocation;
  row.mode = mode_name(record);
  row.passes = record.passes;
  const bool has_values =
      std::ranges::any_of(launches, [](const Profile* each) { return each->num_values != 0; });
  row.status =
      status_name(!is_rotated(record) || has_values ? record.status : KernelProfileStatus::kFailed);
  if (const std::string reason = reason_of_row(launches); !reason.empty())
    row.set<&report::KernelProfileRow::reason>(std::string_view(*reasons_.emplace(reason).first));
  writer_.add(row);
  if (record.rotation != 0 && record.status == KernelProfileStatus::kOk) write_passes(id, launches);
  for (const Profile* each : launches) write_values(id, *each);
}

void KernelProfiles::write_passes(std::int64_t id, const std::vector<const Profile*>& launches) {
  for (const Profile* each : launches) {
    report::KernelPassRow row;
    row.profile = id;
    row.pass = each->record.pass;
    row.correlation = each->record.header.aux;
    row.invocation = each->record.invocation;
    writer_.add(row);
  }
}

void KernelProfiles::write_values(std::int64_t id, const Profile& profile) {
  for (std::size_t i = 0; i < profile.num_values; ++i) {
    const Value& value = values_[profile.first_value + i];
    const auto metric = ids_.find({profile.record.chip, value.metric});
    if (metric == ids_.end()) continue;
    report::KernelMetricRow each;
    each.profile = id;
    each.metric = metric->second;
    each.value = value.value;
    writer_.add(each);
  }
  if (profile.num_instructions == 0) return;
  write_instructions(id, profile);
  write_sums(id, profile);
}

std::span<const CountedInstruction> KernelProfiles::instructions_of(const Profile& profile) const {
  return std::span(instructions_).subspan(profile.first_instruction, profile.num_instructions);
}

void KernelProfiles::write_instructions(std::int64_t id, const Profile& profile) {
  for (const CountedInstruction& each : instructions_of(profile)) {
    report::SassCountRow row;
    row.profile = id;
    row.cubin = static_cast<std::int64_t>(each.record.cubin);
    row.function = writer_.string_id(strings_.text(each.record.function));
    row.offset = static_cast<std::int64_t>(each.record.offset);
    for_each_count(each, [&](const wire::KernelCount& count) {
      const auto metric = ids_.find({profile.record.chip, count.metric});
      if (metric == ids_.end() || count.value == 0) return;
      row.metric = metric->second;
      row.value = static_cast<std::int64_t>(count.value);
      writer_.add(row);
    });
  }
}

// Returns whether the metric was counted on the chip. Where it counted nothing, there is no record.
bool KernelProfiles::is_measured(std::uint64_t chip, std::string_view name) const {
  return std::ranges::any_of(names_, [&](const auto& each) {
    return each.first.first == chip && strings_.text(each.first.second) == name;
  });
}

std::int64_t KernelProfiles::id_of_sum(std::uint64_t chip, const LaunchSum& sum) {
  const auto id = static_cast<std::int64_t>(ids_.size() + sum_ids_.size());
  const auto [found, is_new] = sum_ids_.try_emplace({chip, sum.name}, id);
  if (is_new)
    writer_.add("PROF_METRIC_NAMES",
                {id, std::string(sum.name), std::string(sum.unit), std::string(sum.description),
                 std::string(strings_.text(chip))});
  return found->second;
}

void KernelProfiles::write_sum(std::int64_t id, std::int64_t metric, double value) {
  report::KernelMetricRow row;
  row.profile = id;
  row.metric = metric;
  row.value = value;
  writer_.add(row);
}

void KernelProfiles::write_sums(std::int64_t id, const Profile& profile) {
  const std::uint64_t chip = profile.record.chip;
  std::map<std::string_view, double> sums;
  for (const auto& [metric, sum] : sums_of(instructions_of(profile)))
    sums[strings_.text(metric)] = static_cast<double>(sum);
  for (const LaunchSum& sum : launch_sums()) {
    if (!is_measured(chip, sum.of) || (!sum.minus.empty() && !is_measured(chip, sum.minus)))
      continue;
    const double value = sums[sum.of] - (sum.minus.empty() ? 0 : sums[sum.minus]);
    write_sum(id, id_of_sum(chip, sum), std::max(0.0, value));
  }
  for (const auto& [key, record] : names_) {
    const std::string_view name = strings_.text(record.name);
    const bool has_other_name =
        std::ranges::any_of(launch_sums(), [&](const LaunchSum& sum) { return sum.of == name; });
    if (key.first == chip && is_sass_metric(name) && !has_other_name)
      write_sum(id, ids_.at(key), sums[name]);
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

// One line for each reason why launches were not profiled, or not completely.
void KernelProfiles::write_why_some(std::int64_t end) {
  constexpr const char* kTexts[] = {"Selected launches that were not profiled",
                                    "Launches that have no SASS metrics",
                                    "Profiles that lack passes"};
  for (const auto& [key, count] : lacks_)
    write_diagnostic(
        writer_, {end, DiagnosticSource::kInjection, Severity::kWarning,
                  fmt::format("{}: {}. Reason: {}.", kTexts[static_cast<std::size_t>(key.first)],
                              count, key.second)});
}

std::vector<std::vector<const KernelProfiles::Profile*>> KernelProfiles::join() const {
  std::vector<PassOfLaunch> launches;
  for (const Profile& each : profiles_) launches.push_back({each.serial, &each.record});
  std::vector<std::vector<const Profile*>> joined;
  for (const std::vector<std::size_t>& indices : join_passes(launches)) {
    joined.emplace_back();
    for (const std::size_t index : indices) joined.back().push_back(&profiles_[index]);
  }
  return joined;
}

void KernelProfiles::finish(std::int64_t end) {
  std::ranges::stable_sort(profiles_, {}, [](const Profile& each) { return each.record.time; });
  write_names();
  std::int64_t id = 0;
  for (const auto& launches : join()) write(id++, launches);
  write_why_none(end);
  write_why_some(end);
}

}  // namespace prof::ingest
