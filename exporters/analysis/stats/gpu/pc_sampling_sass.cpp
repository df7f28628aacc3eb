// pc_sampling_sass: the machine instructions of kernels, with their samples.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/stalls/disassembler.hpp"
#include "exporters/analysis/stalls/kernel_code.hpp"
#include "exporters/analysis/stalls/kernels.hpp"
#include "exporters/analysis/stalls/listing.hpp"
#include "exporters/analysis/stalls/samples.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/pattern.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

class SassTable {
 public:
  explicit SassTable(const report::ReportReader& reader)
      : sources_(reader), reasons_(reader), nvdisasm_(stalls::find_nvdisasm()) {}

  void add(const stalls::SampledKernel& kernel,
           const std::vector<stalls::Instruction>& instructions) {
    for (const stalls::Listing& each :
         stalls::listings_of(kernel, instructions, sources_, nvdisasm_))
      for (const stalls::ListedInstruction& instruction : each.instructions)
        add_row(kernel, each.cubin, instruction);
  }

  tables::Table take() { return std::move(table_); }

 private:
  void add_row(const stalls::SampledKernel& kernel, std::int64_t cubin,
               const stalls::ListedInstruction& instruction) {
    const std::int64_t samples = instruction.sum.total().samples;
    std::vector<tables::Cell> cells{
        tables::percent(samples, kernel.sum.total().samples), samples, {}, {}};
    if (const auto main = reasons_.main_of(instruction.sum); main.samples > 0) {
      cells[2] = reasons_.name(main.reason);
      cells[3] = tables::percent(main.samples, samples);
    }
    const auto frames = sources_.frames(cubin, kernel.mangled, instruction.code.offset);
    cells.insert(cells.end(), {fmt::format("{:#x}", instruction.code.offset), instruction.code.text,
                               stalls::place_text(frames[0]), frames[0].function, kernel.name});
    table_.rows.push_back(std::move(cells));
  }

  stalls::KernelCode sources_;
  stalls::ReasonNames reasons_;
  std::string nvdisasm_;
  tables::Table table_{{{"Kernel (%)", CellKind::kReal, 1},
                        {"Samples", CellKind::kInteger},
                        {"Main Stall", CellKind::kText},
                        {"Main Stall (%)", CellKind::kReal, 1},
                        {"Offset", CellKind::kText},
                        {"Instruction", CellKind::kText},
                        {"Line", CellKind::kText},
                        {"Function", CellKind::kText},
                        {"Name", CellKind::kText}},
                       {}};
};

}  // namespace

base::Result<tables::Table> pc_sampling_sass(const report::ReportReader& reader,
                                             const Arguments& arguments) {
  const auto instructions = stalls::read_instructions(reader);
  if (!instructions) return tl::make_unexpected(instructions.error());
  const auto kernels = stalls::sampled_kernels(reader, *instructions, arguments.kernels.name);
  if (!kernels) return tl::make_unexpected(kernels.error());
  SassTable table(reader);
  for (const stalls::SampledKernel& each : *kernels) {
    if (!arguments.kernel.empty() && !tables::matches_pattern(each.name, arguments.kernel))
      continue;
    table.add(each, *instructions);
    if (arguments.kernel.empty()) break;  // only the kernel with the most samples
  }
  return table.take();
}

}  // namespace prof::stats
