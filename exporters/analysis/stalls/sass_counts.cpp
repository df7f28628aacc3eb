#include "exporters/analysis/stalls/sass_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stalls/kernel_code.hpp"

namespace prof::stalls {

namespace {

constexpr std::int64_t kWarp = 32;  // threads

struct CountName {
  std::string_view metric;  // CUPTI's name
  std::int64_t SassCounts::*count;
};
constexpr CountName kCountNames[] = {
    {"smsp__sass_inst_executed", &SassCounts::executed},
    {"smsp__sass_thread_inst_executed", &SassCounts::thread_executed},
    {"smsp__sass_thread_inst_executed_pred_on", &SassCounts::thread_true},
    {"smsp__sass_branch_targets_threads_divergent", &SassCounts::divergent},
    {"smsp__sass_branch_targets_threads_uniform", &SassCounts::uniform},
    {"smsp__sass_l1tex_tags_mem_global", &SassCounts::tags},
    {"smsp__sass_sectors_mem_global", &SassCounts::sectors},
    {"smsp__sass_sectors_mem_global_ideal", &SassCounts::sectors_ideal},
    {"smsp__sass_sectors_mem_local", &SassCounts::local_sectors},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", &SassCounts::wavefronts},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", &SassCounts::wavefronts_ideal},
};

constexpr std::int64_t SassCounts::*kAllCounts[] = {&SassCounts::executed,
                                                    &SassCounts::thread_executed,
                                                    &SassCounts::thread_true,
                                                    &SassCounts::divergent,
                                                    &SassCounts::uniform,
                                                    &SassCounts::requests,
                                                    &SassCounts::tags,
                                                    &SassCounts::sectors,
                                                    &SassCounts::sectors_ideal,
                                                    &SassCounts::local_sectors,
                                                    &SassCounts::shared_requests,
                                                    &SassCounts::wavefronts,
                                                    &SassCounts::wavefronts_ideal};

// Returns the counts by PROF_METRIC_NAMES.metricId.
base::Result<std::map<std::int64_t, std::int64_t SassCounts::*>> read_count_ids(
    const report::ReportReader& reader) {
  std::map<std::int64_t, std::int64_t SassCounts::*> ids;
  const base::Status read = events::for_each_row(
      reader, "SELECT metricId, name FROM PROF_METRIC_NAMES", [&](const report::Statement& row) {
        for (const CountName& each : kCountNames)
          if (row.text(1) == each.metric) ids[row.integer(0)] = each.count;
      });
  if (!read) return tl::make_unexpected(read.error());
  return ids;
}

// Puts lines that are the same together.
std::vector<CountedLine> joined(const std::vector<const CountedLine*>& lines) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, SassCounts> sums;
  for (const CountedLine* each : lines)
    sums[{each->line, each->function, each->callers}].add(each->counts);
  std::vector<CountedLine> result;
  for (const auto& [key, counts] : sums)
    result.push_back({std::string(std::get<0>(key)), std::string(std::get<1>(key)),
                      std::string(std::get<2>(key)), counts});
  std::ranges::stable_sort(result, [](const CountedLine& a, const CountedLine& b) {
    return a.counts.executed > b.counts.executed;
  });
  return result;
}

std::int64_t amount_of(const SassCounts& counts, LineFault fault) {
  switch (fault) {
    case LineFault::kUncoalesced:
      return counts.excess_sectors();
    case LineFault::kBankConflicts:
      return counts.excess_wavefronts();
    case LineFault::kIdleThreads:
      return counts.idle_threads();
  }
  return 0;
}

double ratio(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

std::string detail_of(const SassCounts& counts, LineFault fault) {
  switch (fault) {
    case LineFault::kUncoalesced:
      return fmt::format("{:.3g} sectors a request where {:.3g} would do",
                         ratio(counts.sectors, counts.requests),
                         ratio(counts.sectors_ideal, counts.requests));
    case LineFault::kBankConflicts:
      return fmt::format("{:.3g} wavefronts a request where {:.3g} would do",
                         ratio(counts.wavefronts, counts.shared_requests),
                         ratio(counts.wavefronts_ideal, counts.shared_requests));
    case LineFault::kIdleThreads:
      return fmt::format("{:.1f} of {} threads work", ratio(counts.thread_true, counts.executed),
                         kWarp);
  }
  return {};
}

}  // namespace

void SassCounts::add(const SassCounts& other) {
  for (const auto count : kAllCounts) this->*count = events::sum(this->*count, other.*count);
}

std::int64_t SassCounts::idle_threads() const {
  if (executed > INT64_MAX / kWarp || executed * kWarp < thread_true) return 0;
  return executed * kWarp - thread_true;
}

base::Result<std::vector<CountedInstruction>> read_sass_counts(const report::ReportReader& reader) {
  std::vector<CountedInstruction> result;
  if (!reader.has_table(kSassTable) || !reader.has_table("PROF_METRIC_NAMES")) return result;
  const auto ids = read_count_ids(reader);
  if (!ids) return tl::make_unexpected(ids.error());
  const base::Status read = events::for_each_row(
      reader,
      "SELECT profileId, functionId, cubinCrc, pcOffset, metricId, value FROM PROF_SASS_COUNTS "
      "ORDER BY profileId, functionId, cubinCrc, pcOffset",
      [&](const report::Statement& row) {
        const auto id = ids->find(row.integer(4));
        if (id == ids->end() || row.integer(5) <= 0) return;
        const CountedInstruction key{row.integer(0),
                                     row.integer(2),
                                     row.integer(1),
                                     static_cast<std::uint64_t>(row.integer(3)),
                                     {}};
        if (result.empty() || result.back().profile != key.profile ||
            result.back().cubin != key.cubin || result.back().function != key.function ||
            result.back().offset != key.offset)
          result.push_back(key);
        std::int64_t& count = result.back().counts.*(id->second);
        count = events::sum(count, row.integer(5));
      });
  if (!read) return tl::make_unexpected(read.error());
  for (CountedInstruction& each : result) {
    if (each.counts.sectors > 0) each.counts.requests = each.counts.executed;
    if (each.counts.wavefronts > 0) each.counts.shared_requests = each.counts.executed;
  }
  return result;
}

base::Result<CountedLines> CountedLines::read(const report::ReportReader& reader) {
  const auto instructions = read_sass_counts(reader);
  if (!instructions) return tl::make_unexpected(instructions.error());
  KernelCode code(reader);
  events::Strings strings(reader);
  std::map<std::int64_t, std::vector<CountedLine>> all;
  for (const CountedInstruction& each : *instructions) {
    const auto frames = code.frames(each.cubin, strings.text(each.function), each.offset);
    all[each.profile].push_back(
        {place_text(frames[0]), frames[0].function, callers_text(frames), each.counts});
  }
  CountedLines result;
  for (const auto& [profile, lines] : all) {
    std::vector<const CountedLine*> pointers;
    for (const CountedLine& each : lines) pointers.push_back(&each);
    result.lines_.emplace(profile, joined(pointers));
  }
  return result;
}

std::vector<CountedLine> CountedLines::of(std::span<const std::int64_t> profiles) const {
  std::vector<const CountedLine*> pointers;
  for (const std::int64_t profile : profiles)
    if (const auto found = lines_.find(profile); found != lines_.end())
      for (const CountedLine& each : found->second) pointers.push_back(&each);
  return joined(pointers);
}

std::string worst_line_text(const std::vector<CountedLine>& lines, LineFault fault) {
  const CountedLine* worst = nullptr;
  std::int64_t all = 0;
  for (const CountedLine& each : lines) {
    const std::int64_t amount = amount_of(each.counts, fault);
    all = events::sum(all, amount);
    if (!each.line.empty() && amount > 0 &&
        (worst == nullptr || amount > amount_of(worst->counts, fault)))
      worst = &each;
  }
  if (worst == nullptr) return {};
  return fmt::format("{} has {:.0f} % of them: {}", worst->line,
                     100 * ratio(amount_of(worst->counts, fault), all),
                     detail_of(worst->counts, fault));
}

}  // namespace prof::stalls
