// Rules about accesses to memory.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "exporters/analysis/insight/profiles/rule_groups.hpp"

namespace prof::insight {

namespace {

struct Direction {
  const char* metric;  // in names of metrics of L1 and instructions
  const char* l2;      // in names of metrics of L2
  const char* text;
};
constexpr Direction kDirections[] = {{"ld", "read", "loads"}, {"st", "write", "stores"}};

double part_of(double percent) { return percent / 100; }

// The level of memory where unused bytes of sectors cost most.
struct CostlyLevel {
  double part = 0;
  std::string text;
};

// The part of the sectors that miss a level; empty: not measured.
std::optional<double> misses_of(const MetricValues& metrics, const std::string& hit_rate) {
  const auto hits = metrics.find(hit_rate);
  return hits ? std::optional(1 - part_of(*hits)) : std::nullopt;
}

CostlyLevel costly_level(const MetricValues& metrics, std::string_view space,
                         const Direction& direction, double unused) {
  const auto busy = [&](const char* unit) { return part_of(metrics.or_zero(elapsed(unit))); };
  CostlyLevel most{unused * busy("l1tex__throughput"), "in L1"};
  const auto take_larger = [&](double part, std::string text) {
    if (part > most.part) most = {part, std::move(text)};
  };
  const auto l1 = misses_of(
      metrics,
      fmt::format("l1tex__t_sector_pipe_lsu_mem_{}_op_{}_hit_rate.pct", space, direction.metric));
  if (!l1) return most;
  take_larger(unused * *l1 * busy("lts__throughput"),
              fmt::format("in L2, for the {:.1f} % that miss L1", 100 * *l1));
  const auto l2 = misses_of(metrics, fmt::format("lts__t_sector_op_{}_hit_rate.pct", direction.l2));
  if (!l2) return most;
  take_larger(unused * *l1 * *l2 * busy("gpu__dram_throughput"),
              fmt::format("in DRAM, for the {:.1f} % that miss L1 and L2", 100 * *l1 * *l2));
  return most;
}

void add_sector_use(const MetricValues& metrics, RuleResults& results) {
  for (const char* space : {"global", "local"}) {
    for (const Direction& direction : kDirections) {
      const std::string name = fmt::format("smsp__sass_average_data_bytes_per_sector_mem_{}_op_{}",
                                           space, direction.metric);
      const double used = metrics.or_zero(name + ".ratio");
      const double whole = metrics.or_zero(name + ".max_rate");
      if (used <= 0 || used >= whole) continue;
      const CostlyLevel level = costly_level(metrics, space, direction, 1 - used / whole);
      if (level.part <= 0) continue;
      results.push_back({KernelRule::kSectorUse, level.part, false,
                         fmt::format("{} {} use {:.1f} of the {:.0f} bytes of a sector; this costs "
                                     "most {}",
                                     space, direction.text, used, whole, level.text)});
    }
  }
}

// A part of a unit's work that is not needed, as part of the whole time.
struct Excess {
  const char* needless;
  const char* all;
  std::string_view unit;
  KernelRule rule;
  const char* text;
  std::string SourceHints::*hint;
};
constexpr Excess kExcesses[] = {
    {"derived__memory_l2_theoretical_sectors_global_excessive",
     "memory_l2_theoretical_sectors_global", "lts", KernelRule::kUncoalesced,
     "sectors of global accesses", &SourceHints::uncoalesced},
    {"derived__memory_l1_wavefronts_shared_excessive", "memory_l1_wavefronts_shared", "l1tex",
     KernelRule::kSharedWavefronts, "wavefronts of shared memory", &SourceHints::bank_conflicts},
};

void add_excesses(const ProfiledKernel& kernel, RuleResults& results) {
  const MetricValues& metrics = kernel.metrics;
  for (const Excess& each : kExcesses) {
    const double needless = metrics.or_zero(each.needless);
    const double all = metrics.or_zero(each.all);
    const double cycles = metrics.or_zero(std::string(each.unit) + "__cycles_elapsed.sum");
    if (needless <= 0 || all <= 0) continue;
    // Without counters it is not known which part of the time the unit works.
    const bool is_local = cycles <= 0;
    const double work =
        is_local ? 1 : metrics.or_zero(std::string(each.unit) + "__cycles_active.sum") / cycles;
    results.push_back(
        {each.rule, needless / all * work, is_local,
         with_hint(fmt::format("{:.0f} of {:.0f} {} ({:.0f} %) are more than the data needs",
                               needless, all, each.text, 100 * needless / all),
                   kernel, each.hint)});
  }
}

void add_bank_conflicts(const ProfiledKernel& kernel, RuleResults& results) {
  const MetricValues& metrics = kernel.metrics;
  constexpr double kMany = 0.1;  // of the wavefronts
  for (const Direction& direction : kDirections) {
    const auto count = [&](const char* what) {
      return metrics.or_zero(fmt::format("l1tex__{}_mem_shared_op_{}.sum", what, direction.metric));
    };
    const double conflicts = count("data_bank_conflicts_pipe_lsu");
    const double wavefronts = count("data_pipe_lsu_wavefronts");
    if (wavefronts <= 0 || conflicts / wavefronts < kMany) continue;
    const double instructions =
        metrics.or_zero(fmt::format("smsp__sass_inst_executed_op_shared_{}.sum", direction.metric));
    const double part = conflicts / wavefronts;
    results.push_back(
        {KernelRule::kBankConflicts, part * part_of(metrics.or_zero(active("l1tex__throughput"))),
         false,
         with_hint(
             fmt::format(
                 "{}bank conflicts are {:.0f} of the {:.0f} wavefronts of shared {} ({:.1f} %)",
                 instructions > 0 ? fmt::format("{:.1f}-way ", wavefronts / instructions) : "",
                 conflicts, wavefronts, direction.text, 100 * part),
             kernel, &SourceHints::bank_conflicts)});
  }
}

// Local memory holds what does not fit in registers: spilled values, and arrays with indices that
// the compiler does not know.
void add_spills(const MetricValues& metrics, RuleResults& results) {
  constexpr double kMany = 0.05;  // of the sectors of L1
  double local = 0;
  double all = 0;
  for (const Direction& direction : kDirections) {
    const auto sectors = [&](const char* space) {
      return metrics.or_zero(
          fmt::format("l1tex__t_sectors_pipe_lsu_mem_{}_op_{}.sum", space, direction.metric));
    };
    local += sectors("local");
    all += sectors("local") + sectors("global");
  }
  if (all <= 0 || local / all <= kMany) return;
  results.push_back({KernelRule::kSpills,
                     local / all * part_of(metrics.or_zero(elapsed("l1tex__throughput"))), false,
                     fmt::format("{:.0f} of {:.0f} sectors in L1 ({:.0f} %) are of local memory",
                                 local, all, 100 * local / all)});
}

}  // namespace

void add_access_rules(const ProfiledKernel& kernel, RuleResults& results) {
  add_sector_use(kernel.metrics, results);
  add_excesses(kernel, results);
  add_bank_conflicts(kernel, results);
  add_spills(kernel.metrics, results);
}

void add_compression_rules(const ProfiledKernel& kernel, RuleResults& results) {
  constexpr double kRare = 20;       // percent
  constexpr double kManyWrites = 4;  // times the bytes that L1 writes
  constexpr double kSectorBytes = 32;
  const MetricValues& metrics = kernel.metrics;
  // Hopper and later compress elsewhere than Ampere.
  const bool is_new = metrics.find("lrc__ilc_input_sectors.sum").has_value();
  const double input =
      metrics.or_zero(is_new ? "lrc__ilc_input_sectors.sum" : "lts__gcomp_input_sectors.sum");
  const auto success = metrics.find(is_new ? "lrc__average_ilc_input_sector_success_rate.pct"
                                           : "lts__average_gcomp_input_sector_success_rate.pct");
  const double all = metrics.or_zero("lts__t_sectors.sum");
  if (input <= 0 || !success) return;
  const double reads =
      std::max(metrics.or_zero("dram__bytes_read.sum.pct_of_peak_sustained_elapsed"),
               metrics.or_zero("dram__bytes_op_read.sum.pct_of_peak_sustained_elapsed"));
  const double part =
      all <= 0 ? 0 : (1 - part_of(*success)) * std::max(0.0, 1 - input / all) * part_of(reads);
  if (*success < kRare)
    results.push_back({KernelRule::kCompression, part, all <= 0,
                       fmt::format("{:.2f} % of {:.0f} sectors that L2 tried to compress became "
                                   "smaller",
                                   *success, input)});
  const double written = metrics.or_zero("l1tex__m_l1tex2xbar_write_bytes.sum");
  if (written > 0 && kManyWrites * written < kSectorBytes * input)
    results.push_back({KernelRule::kCompressionWrites, part, all <= 0,
                       fmt::format("L2 compresses {:.1f} times the bytes that are written",
                                   kSectorBytes * input / written)});
}

}  // namespace prof::insight
