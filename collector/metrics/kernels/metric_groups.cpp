#include "collector/metrics/kernels/metric_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "common/base/text/regular_expression.hpp"
#include "common/base/text/suggestion.hpp"

namespace prof::metrics {

namespace {

// Base metrics, by an expression, each with these suffixes. Chips differ in what they have.
struct Part {
  const char* expression;
  std::vector<const char*> suffixes;
};

struct Group {
  const char* name;
  std::vector<Part> parts;
};

constexpr const char* kSum = ".sum";
constexpr const char* kRate = ".sum.per_second";
constexpr const char* kShare = ".sum.pct_of_peak_sustained_elapsed";

#define PROF_L1_SPACES "(global|local|dshared|surface|texture)"
#define PROF_L1_OPERATIONS "(_op_(ld|st|atom|red|redas))?"
#define PROF_L1_PATHS "_pipe_(lsu|tex)_mem_" PROF_L1_SPACES PROF_L1_OPERATIONS
#define PROF_L2_SOURCES "(_srcunit_(tex|gcc|ltcfabric))?"
#define PROF_L2_OPERATIONS "(_op_(read|write|red|atom|atom_dot_alu|atom_dot_cas))?"
#define PROF_L2_PLACES "(_aperture_(device|peer|sysmem))?"

const std::vector<Group>& groups() {
  static const std::vector<Group> kGroups = {
      {"memory__chart",
       {{"^l1tex__m_(xbar2l1tex_read|l1tex2xbar_write)_bytes$", {kSum, kRate, kShare}},
        {"^dram__bytes(_op)?_(read|write)$", {kSum, kRate, kShare}},
        {"^lts__t_sectors_aperture_(device|peer|sysmem)_lookup_miss$", {kSum}},
        {"^smsp__(sass_)?inst_executed_op_(global|local|shared|dshared|surface|texture)"
         "(_ld|_st|_atom|_red)?$",
         {kSum}},
        {"^(l1tex|lts)__t_sector_hit_rate$", {".pct"}},
        {"^lts__average_gcomp_input_sector_success_rate$", {".pct"}}}},
      {"memory__dram_table",
       {{"^dram__sectors(_op)?_(read|write)$", {kSum}},
        {"^dram__bytes(_op)?_(read|write)$", {kSum, kRate, kShare}}}},
      {"memory__first_level_cache_table",
       {{"^l1tex__t_sectors" PROF_L1_PATHS "(_lookup_(hit|miss))?$", {kSum}},
        {"^l1tex__t_(requests|output_wavefronts)" PROF_L1_PATHS "$", {kSum, kShare}},
        {"^l1tex__t_sector" PROF_L1_PATHS "_hit_rate$", {".pct"}},
        {"^l1tex__m_(l1tex2xbar_write|xbar2l1tex_read)_sectors_mem_(lg|" PROF_L1_SPACES
         ")" PROF_L1_OPERATIONS "$",
         {kSum, kShare}}}},
      {"memory__l2_cache_table",
       {{"^lts__t_requests" PROF_L2_SOURCES PROF_L2_OPERATIONS "$", {kSum}},
        {"^lts__t_sectors" PROF_L2_SOURCES PROF_L2_OPERATIONS "(_lookup_(hit|miss))?$", {kSum}},
        {"^lts__t_sectors" PROF_L2_SOURCES PROF_L2_PLACES PROF_L2_OPERATIONS "_lookup_miss$",
         {kSum}},
        {"^lts__t_sector(_op_(read|write))?_hit_rate$", {".pct"}}}},
      {"memory__l2_cache_evict_policy_table",
       {{"^lts__t_sectors" PROF_L2_SOURCES PROF_L2_OPERATIONS
         "_evict_(first|last|normal|normal_demote)_lookup_(hit|miss)$",
         {kSum}}}},
      {"memory__shared_table",
       {{"^smsp__(sass_)?inst_executed_op_(shared|ldgsts|ldsm)(_ld|_st|_atom|_gmma|_stsm)?$",
         {kSum}},
        {"^l1tex__data_bank_conflicts_pipe_lsu_mem_shared(_op_(ld|st|atom|ldgsts))?$", {kSum}},
        {"^l1tex__data_pipe_lsu_wavefronts_mem_shared(_op_(ld|st|atom))?$", {kSum, kShare}}}},
  };
  return kGroups;
}

std::vector<std::string> names_of_groups() {
  std::vector<std::string> names;
  for (const Group& group : groups()) names.emplace_back(group.name);
  return names;
}

void add_part(const Part& part, const std::vector<MetricFacts>& metrics,
              std::vector<std::string>& names) {
  const auto expression = base::RegularExpression::make(part.expression);
  for (const MetricFacts& metric : metrics) {
    if (!expression->matches(metric.name)) continue;
    for (const char* suffix : part.suffixes)
      if (std::string name = metric.name + suffix; std::ranges::count(names, name) == 0)
        names.push_back(std::move(name));
  }
}

base::Result<std::vector<std::string>> refuse(const std::string& name) {
  if (name.starts_with("smsp__pcsamp_"))
    return base::fail("--metrics: group:" + name +
                      " is of PC samples, which prof profile --pc-sampling takes");
  return base::fail(fmt::format("--metrics: there is no group {}{}", name,
                                base::suggestion(name, names_of_groups())));
}

}  // namespace

base::Result<std::vector<std::string>> group_metrics(const std::string& group,
                                                     const std::vector<MetricFacts>& metrics) {
  const auto found = std::ranges::find(groups(), std::string_view(group), [](const Group& each) {
    return std::string_view(each.name);
  });
  if (found == groups().end()) return refuse(group);
  std::vector<std::string> names;
  for (const Part& part : found->parts) add_part(part, metrics, names);
  if (names.empty()) return base::fail("--metrics: the chip has no metric of group:" + group);
  return names;
}

}  // namespace prof::metrics
