// The columns are Nsight Compute's, which scripts look for.
#include "exporters/analysis/stats/pages/source_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stalls/disassembler.hpp"
#include "exporters/analysis/stalls/kernel_code.hpp"
#include "exporters/analysis/stalls/kernels.hpp"
#include "exporters/analysis/stalls/listing.hpp"
#include "exporters/analysis/stalls/samples.hpp"
#include "exporters/analysis/stats/pages/page_values.hpp"

namespace prof::stats {

namespace {

constexpr const char* kSampleColumns[] = {"Address", "Source", "Warp Stall Sampling (All Samples)",
                                          "Warp Stall Sampling (Not-issued Samples)", "# Samples"};
// PC samples do not count these.
constexpr const char* kCountColumns[] = {"Instructions Executed",
                                         "Thread Instructions Executed",
                                         "Predicated-On Thread Instructions Executed",
                                         "Avg. Threads Executed",
                                         "Avg. Predicated-On Threads Executed",
                                         "Derivative Avg. Predicated-On Threads Executed",
                                         "Avg. Predicated-On Threads Unexecuted",
                                         "Divergent Branches",
                                         "Address Space",
                                         "Access Operation",
                                         "Access Size",
                                         "L1 Tag Requests Global",
                                         "L1 Conflicts Shared N-Way",
                                         "L1 Wavefronts Shared Excessive",
                                         "L1 Wavefronts Shared",
                                         "L1 Wavefronts Shared Ideal",
                                         "L2 Theoretical Sectors Global Excessive",
                                         "L2 Theoretical Sectors Global",
                                         "L2 Theoretical Sectors Global Ideal",
                                         "L2 Explicit Evict Policies",
                                         "L2 Explicit Hit Policy Evict First",
                                         "L2 Explicit Hit Policy Evict Last",
                                         "L2 Explicit Hit Policy Evict Normal",
                                         "L2 Explicit Hit Policy Evict Normal Demote",
                                         "L2 Explicit Miss Policy Evict First",
                                         "L2 Explicit Miss Policy Evict Normal"};

struct StallColumn {
  const char* column;
  std::string_view reason;
  const char* not_issued = nullptr;  // if this column has another name
};
constexpr StallColumn kStallColumns[] = {{"stall_barrier", "barrier"},
                                         {"stall_branch_resolving", "branch_resolving"},
                                         {"stall_dispatch", "dispatch_stall"},
                                         {"stall_drain", "drain"},
                                         {"stall_imc", "imc_miss"},
                                         {"stall_lg", "lg_throttle"},
                                         {"stall_long_sb", "long_scoreboard"},
                                         {"stall_math", "math_pipe_throttle"},
                                         {"stall_membar", "membar"},
                                         {"stall_mio", "mio_throttle"},
                                         {"stall_misc", "misc"},
                                         {"stall_no_inst", "no_instructions"},
                                         {"stall_not_selected", "not_selected"},
                                         {"stall_selected", "selected"},
                                         {"stall_short_sb", "short_scoreboard"},
                                         {"stall_sleep", "sleeping", "stall_sleeping"},
                                         {"stall_tex", "tex_throttle"},
                                         {"stall_wait", "wait"}};

std::string_view column_reason(std::string_view name) {
  if (name == "no_instruction") return "no_instructions";
  // One reason of CUPTI has the name of a unit at its end.
  return name.starts_with("mio_throttle_") ? std::string_view("mio_throttle") : name;
}

std::string source_header() {
  std::string head;
  for (const char* each : kSampleColumns) append_csv_field(head, each, head.empty());
  for (const char* each : kCountColumns) append_csv_field(head, each);
  for (const StallColumn& each : kStallColumns) append_csv_field(head, each.column);
  for (const StallColumn& each : kStallColumns)
    append_csv_field(head, fmt::format("{} (Not Issued)",
                                       each.not_issued != nullptr ? each.not_issued : each.column));
  return head + '\n';
}

// Nsight Compute puts predicates into a column of six characters: "@!P0  BRA".
std::string aligned(std::string_view instruction) {
  constexpr std::size_t kPredicate = 6;
  if (!instruction.starts_with('@')) return std::string(kPredicate, ' ') + std::string(instruction);
  const std::size_t end = std::min(instruction.find(' '), instruction.size());
  const std::size_t rest = std::min(instruction.find_first_not_of(' ', end), instruction.size());
  return fmt::format("{:<{}}{}", instruction.substr(0, end), kPredicate, instruction.substr(rest));
}

void add_instruction(const stalls::ListedInstruction& instruction, stalls::ReasonNames& reasons,
                     std::string& text) {
  const stalls::Count& total = instruction.sum.total();
  append_csv_field(text, fmt::format("{:#x}", instruction.offset), true);
  append_csv_field(text, aligned(instruction.text));
  for (const std::int64_t each : {total.samples, total.not_issued, total.samples})
    append_csv_field(text, std::to_string(each));
  for (std::size_t at = 0; at < std::size(kCountColumns); ++at) append_csv_field(text, "");
  std::map<std::string_view, stalls::Count> counts;
  for (const auto& [reason, count] : instruction.sum.by_reason()) {
    stalls::Count& sum = counts[column_reason(reasons.name(reason))];
    sum.samples = events::sum(sum.samples, count.samples);
    sum.not_issued = events::sum(sum.not_issued, count.not_issued);
  }
  for (const StallColumn& each : kStallColumns)
    append_csv_field(text, std::to_string(counts[each.reason].samples));
  for (const StallColumn& each : kStallColumns)
    append_csv_field(text, std::to_string(counts[each.reason].not_issued));
  text += '\n';
}

}  // namespace

base::Result<std::string> source_page(const report::ReportReader& reader) {
  const auto instructions = stalls::read_instructions(reader);
  if (!instructions) return tl::make_unexpected(instructions.error());
  const auto kernels =
      stalls::sampled_kernels(reader, *instructions, events::KernelName::kDemangled);
  if (!kernels) return tl::make_unexpected(kernels.error());
  stalls::KernelCode sources(reader);
  stalls::ReasonNames reasons(reader);
  const std::string nvdisasm = stalls::find_nvdisasm();
  const std::string header = source_header();
  std::string text;
  for (const stalls::SampledKernel& kernel : *kernels) {
    for (const stalls::Listing& each :
         stalls::listings_of(kernel, *instructions, sources, nvdisasm)) {
      append_csv_field(text, "Kernel Name", true);
      append_csv_field(text, kernel.name);
      text += ",\n" + header;
      for (const stalls::ListedInstruction& instruction : each.instructions)
        add_instruction(instruction, reasons, text);
    }
  }
  return text;
}

}  // namespace prof::stats
