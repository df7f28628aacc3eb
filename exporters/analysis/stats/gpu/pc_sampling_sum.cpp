// pc_sampling_sum: what the warps of kernels wait for, by kernel and stall reason.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stalls/kernels.hpp"
#include "exporters/analysis/stalls/samples.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/value_groups.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

using ReasonCount = std::pair<std::int64_t, stalls::Count>;

std::vector<ReasonCount> by_samples(const stalls::Sum& sum) {
  std::vector<ReasonCount> result(sum.by_reason().begin(), sum.by_reason().end());
  std::ranges::stable_sort(result, [](const ReasonCount& a, const ReasonCount& b) {
    return a.second.samples > b.second.samples;
  });
  return result;
}

}  // namespace

base::Result<tables::Table> pc_sampling_sum(const report::ReportReader& reader,
                                            const Arguments& arguments) {
  const auto instructions = stalls::read_instructions(reader);
  if (!instructions) return tl::make_unexpected(instructions.error());
  const auto kernels = stalls::sampled_kernels(reader, *instructions, arguments.kernels.name);
  if (!kernels) return tl::make_unexpected(kernels.error());
  std::int64_t total = 0;
  for (const stalls::SampledKernel& each : *kernels)
    total = events::sum(total, each.sum.total().samples);
  tables::Table table{{{"Samples (%)", CellKind::kReal, 1},
                       {"Samples", CellKind::kInteger},
                       {"Kernel (%)", CellKind::kReal, 1},
                       {"Not Issued (%)", CellKind::kReal, 1},
                       {"Time (ns)", CellKind::kInteger},
                       {"Stall", CellKind::kText},
                       {"The Warp", CellKind::kText},
                       {"Name", CellKind::kText}},
                      {}};
  stalls::ReasonNames reasons(reader);
  for (const stalls::SampledKernel& kernel : *kernels) {
    for (const auto& [reason, count] : by_samples(kernel.sum)) {
      const double share = tables::percent(count.samples, kernel.sum.total().samples);
      const double time = share / 100 * static_cast<double>(kernel.launched.time);
      const std::string& name = reasons.name(reason);
      table.rows.push_back(
          {tables::percent(count.samples, total), count.samples, share,
           tables::percent(count.not_issued, count.samples),
           kernel.launched.count > 0 ? tables::Cell{std::llround(time)} : tables::Cell{}, name,
           stalls::reason_of(name).meaning, kernel.name});
    }
  }
  return table;
}

base::Result<ValueGroups> stall_values(const report::ReportReader& reader,
                                       const Arguments& arguments) {
  const auto instructions = stalls::read_instructions(reader);
  if (!instructions) return tl::make_unexpected(instructions.error());
  const auto kernels = stalls::sampled_kernels(reader, *instructions, arguments.kernels.name);
  if (!kernels) return tl::make_unexpected(kernels.error());
  ValueGroups groups;
  stalls::ReasonNames reasons(reader);
  for (const stalls::SampledKernel& kernel : *kernels) {
    for (const auto& [reason, count] : kernel.sum.by_reason()) {
      const double share = tables::percent(count.samples, kernel.sum.total().samples) / 100;
      const std::int64_t time = std::llround(share * static_cast<double>(kernel.launched.time));
      const std::string& name = reasons.name(reason);
      groups.push_back({{name, stalls::reason_of(name).meaning, kernel.name},
                        {count.samples},
                        {count.not_issued, time}});
    }
  }
  return groups;
}

}  // namespace prof::stats
