// pc_sampling_lines and pc_sampling_functions: where in the source code warps are, and what they
// wait for there.
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stalls/kernel_code.hpp"
#include "exporters/analysis/stalls/kernels.hpp"
#include "exporters/analysis/stalls/samples.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/value_groups.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

struct SampledCode {
  std::vector<stalls::Instruction> instructions;
  std::map<std::int64_t, stalls::SampledKernel> kernels;  // by function
  std::int64_t total = 0;                                 // samples
};

base::Result<SampledCode> read_code(const report::ReportReader& reader, events::KernelName naming) {
  auto instructions = stalls::read_instructions(reader);
  if (!instructions) return tl::make_unexpected(instructions.error());
  auto kernels = stalls::sampled_kernels(reader, *instructions, naming);
  if (!kernels) return tl::make_unexpected(kernels.error());
  SampledCode code;
  code.instructions = std::move(*instructions);
  for (stalls::SampledKernel& each : *kernels) {
    code.total = events::sum(code.total, each.sum.total().samples);
    code.kernels.emplace(each.function, std::move(each));
  }
  return code;
}

void add_main_stall(std::vector<tables::Cell>& cells, const stalls::Sum& sum,
                    stalls::ReasonNames& reasons) {
  const stalls::ReasonNames::Main main = reasons.main_of(sum);
  if (main.samples == 0) {
    cells.resize(cells.size() + 2);
    return;
  }
  cells.emplace_back(reasons.name(main.reason));
  cells.emplace_back(tables::percent(main.samples, sum.total().samples));
}

// Samples by kernel, line, function and callers.
using LineSums =
    std::map<std::tuple<std::int64_t, std::string, std::string, std::string>, stalls::Sum>;

LineSums sum_lines(const report::ReportReader& reader, const SampledCode& code) {
  stalls::KernelCode sources(reader);
  LineSums lines;
  for (const stalls::Instruction& each : code.instructions) {
    const auto frames =
        sources.frames(each.cubin, code.kernels.at(each.function).mangled, each.offset);
    lines[{each.function, stalls::place_text(frames[0]), frames[0].function,
           stalls::callers_text(frames)}]
        .add(each.sum);
  }
  return lines;
}

struct FunctionSum {
  stalls::Sum self;
  std::int64_t total = 0;
  std::set<std::int64_t> kernels;
};
using FunctionSums = std::map<std::pair<std::string, std::string>, FunctionSum>;  // name and file

FunctionSums sum_functions(const report::ReportReader& reader, const SampledCode& code) {
  stalls::KernelCode sources(reader);
  FunctionSums functions;
  for (const stalls::Instruction& each : code.instructions) {
    const auto frames =
        sources.frames(each.cubin, code.kernels.at(each.function).mangled, each.offset);
    functions[{frames[0].function, frames[0].file}].self.add(each.sum);
    // A function that calls itself counts once.
    std::set<std::pair<std::string, std::string>> seen;
    for (const symbols::SourceFrame& frame : frames) {
      if (!seen.insert({frame.function, frame.file}).second) continue;
      FunctionSum& sum = functions[{frame.function, frame.file}];
      sum.total = events::sum(sum.total, each.sum.total().samples);
      sum.kernels.insert(each.function);
    }
  }
  return functions;
}

// Appends the samples of each reason, in the order of known_reasons().
void add_reasons(std::vector<std::int64_t>& totals, const stalls::Sum& sum,
                 stalls::ReasonNames& reasons) {
  const std::size_t first = totals.size();
  totals.resize(first + stalls::known_reasons().size() + 1);
  for (const auto& [reason, count] : sum.by_reason()) {
    std::int64_t& samples = totals[first + stalls::place_of(reasons.name(reason))];
    samples = events::sum(samples, count.samples);
  }
}

}  // namespace

base::Result<tables::Table> pc_sampling_lines(const report::ReportReader& reader,
                                              const Arguments& arguments) {
  const auto code = read_code(reader, arguments.kernels.name);
  if (!code) return tl::make_unexpected(code.error());
  tables::Table table{{{"Samples (%)", CellKind::kReal, 1},
                       {"Samples", CellKind::kInteger},
                       {"Kernel (%)", CellKind::kReal, 1},
                       {"Main Stall", CellKind::kText},
                       {"Main Stall (%)", CellKind::kReal, 1},
                       {"Line", CellKind::kText},
                       {"Function", CellKind::kText},
                       {"Inlined", CellKind::kText},
                       {"Name", CellKind::kText}},
                      {}};
  stalls::ReasonNames reasons(reader);
  for (const auto& [key, sum] : sum_lines(reader, *code)) {
    const auto& [function, line, name, callers] = key;
    const stalls::SampledKernel& kernel = code->kernels.at(function);
    const std::int64_t samples = sum.total().samples;
    std::vector<tables::Cell> cells{tables::percent(samples, code->total), samples,
                                    tables::percent(samples, kernel.sum.total().samples)};
    add_main_stall(cells, sum, reasons);
    cells.insert(cells.end(), {line, name, callers, kernel.name});
    table.rows.push_back(std::move(cells));
  }
  tables::sort_descending(table, 1);
  return table;
}

base::Result<tables::Table> pc_sampling_functions(const report::ReportReader& reader,
                                                  const Arguments& arguments) {
  const auto code = read_code(reader, arguments.kernels.name);
  if (!code) return tl::make_unexpected(code.error());
  tables::Table table{{{"Self (%)", CellKind::kReal, 1},
                       {"Self Samples", CellKind::kInteger},
                       {"Total (%)", CellKind::kReal, 1},
                       {"Total Samples", CellKind::kInteger},
                       {"Main Stall", CellKind::kText},
                       {"Main Stall (%)", CellKind::kReal, 1},
                       {"Kernels", CellKind::kInteger},
                       {"File", CellKind::kText},
                       {"Function", CellKind::kText}},
                      {}};
  stalls::ReasonNames reasons(reader);
  for (const auto& [key, sum] : sum_functions(reader, *code)) {
    const std::int64_t self = sum.self.total().samples;
    std::vector<tables::Cell> cells{tables::percent(self, code->total), self,
                                    tables::percent(sum.total, code->total), sum.total};
    add_main_stall(cells, sum.self, reasons);
    cells.insert(cells.end(),
                 {static_cast<std::int64_t>(sum.kernels.size()), key.second, key.first});
    table.rows.push_back(std::move(cells));
  }
  tables::sort_descending(table, 1);
  return table;
}

base::Result<ValueGroups> stall_line_values(const report::ReportReader& reader,
                                            const Arguments& arguments) {
  const auto code = read_code(reader, arguments.kernels.name);
  if (!code) return tl::make_unexpected(code.error());
  ValueGroups groups;
  stalls::ReasonNames reasons(reader);
  for (const auto& [key, sum] : sum_lines(reader, *code)) {
    const auto& [function, line, name, callers] = key;
    ValueGroup group{{line, name, callers, code->kernels.at(function).name}, {sum.total().samples}};
    add_reasons(group.totals, sum, reasons);
    groups.push_back(std::move(group));
  }
  return groups;
}

base::Result<ValueGroups> stall_function_values(const report::ReportReader& reader,
                                                const Arguments& arguments) {
  const auto code = read_code(reader, arguments.kernels.name);
  if (!code) return tl::make_unexpected(code.error());
  ValueGroups groups;
  stalls::ReasonNames reasons(reader);
  for (const auto& [key, sum] : sum_functions(reader, *code)) {
    ValueGroup group{{key.second, key.first}, {sum.self.total().samples}, {sum.total}};
    add_reasons(group.totals, sum.self, reasons);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace prof::stats
