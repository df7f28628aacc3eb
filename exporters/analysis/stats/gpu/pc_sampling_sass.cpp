// pc_sampling_sass: the machine instructions of kernels, with their samples.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "exporters/analysis/stalls/disassembler.hpp"
#include "exporters/analysis/stalls/kernel_code.hpp"
#include "exporters/analysis/stalls/kernels.hpp"
#include "exporters/analysis/stalls/samples.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/pattern.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

// GPUs since Volta have instructions of this size.
constexpr std::uint64_t kInstructionBytes = 16;

// One form of a kernel's code. Compilers write the time of a source file into cubins, so several
// cubins can have the same code.
struct Code {
  std::int64_t cubin = 0;
  std::map<std::uint64_t, stalls::Sum> samples;  // by offset
};

std::map<std::string, Code> codes_of(const stalls::SampledKernel& kernel,
                                     const std::vector<stalls::Instruction>& instructions,
                                     stalls::KernelCode& sources) {
  std::map<std::string, Code> codes;  // by their bytes
  for (const stalls::Instruction& each : instructions) {
    if (each.function != kernel.function) continue;
    const cubin::Function* found = sources.find(each.cubin, kernel.mangled);
    std::string bytes;
    if (found != nullptr)
      bytes.assign(reinterpret_cast<const char*>(found->code.data()), found->code.size());
    Code& code = codes[bytes];
    if (code.samples.empty()) code.cubin = each.cubin;
    code.samples[each.offset].add(each.sum);
  }
  return codes;
}

class SassTable {
 public:
  explicit SassTable(const report::ReportReader& reader)
      : sources_(reader), reasons_(reader), nvdisasm_(stalls::find_nvdisasm()) {}

  void add(const stalls::SampledKernel& kernel,
           const std::vector<stalls::Instruction>& instructions) {
    for (const auto& [bytes, code] : codes_of(kernel, instructions, sources_)) {
      const cubin::Function* function = sources_.find(code.cubin, kernel.mangled);
      stalls::InstructionTexts texts;
      if (function != nullptr && !nvdisasm_.empty())
        texts = stalls::disassemble(nvdisasm_, sources_.bytes(code.cubin), *function);
      std::set<std::uint64_t> offsets;
      for (const auto& [offset, sum] : code.samples) offsets.insert(offset);
      for (std::uint64_t at = 0; at < bytes.size(); at += kInstructionBytes) offsets.insert(at);
      for (const std::uint64_t offset : offsets) add_row(kernel, code, function, texts, offset);
    }
  }

  tables::Table take() { return std::move(table_); }

 private:
  void add_row(const stalls::SampledKernel& kernel, const Code& code,
               const cubin::Function* function, const stalls::InstructionTexts& texts,
               std::uint64_t offset) {
    const auto found = code.samples.find(offset);
    const stalls::Sum sum = found != code.samples.end() ? found->second : stalls::Sum();
    const std::int64_t samples = sum.total().samples;
    std::vector<tables::Cell> cells{
        tables::percent(samples, kernel.sum.total().samples), samples, {}, {}};
    if (const auto main = reasons_.main_of(sum); main.samples > 0) {
      cells[2] = reasons_.name(main.reason);
      cells[3] = tables::percent(main.samples, samples);
    }
    const auto text = texts.find(offset);
    const auto frames = sources_.frames(code.cubin, kernel.mangled, offset);
    cells.insert(cells.end(),
                 {fmt::format("{:#x}", offset),
                  text != texts.end()   ? text->second
                  : function != nullptr ? stalls::raw_instruction(function->code, offset)
                                        : std::string(),
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
