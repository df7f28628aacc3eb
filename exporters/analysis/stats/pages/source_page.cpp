// The columns are Nsight Compute's, which scripts look for.
#include "exporters/analysis/stats/pages/source_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/profiles/kernel_profiles.hpp"
#include "exporters/analysis/stalls/disassembler.hpp"
#include "exporters/analysis/stalls/kernel_code.hpp"
#include "exporters/analysis/stalls/kernels.hpp"
#include "exporters/analysis/stalls/listing.hpp"
#include "exporters/analysis/stalls/samples.hpp"
#include "exporters/analysis/stalls/sass_counts.hpp"
#include "exporters/analysis/stats/pages/page_values.hpp"

namespace prof::stats {

namespace {

constexpr const char* kSampleColumns[] = {"Address", "Source", "Warp Stall Sampling (All Samples)",
                                          "Warp Stall Sampling (Not-issued Samples)", "# Samples"};
std::int64_t average(std::int64_t threads, std::int64_t executed) {
  return executed > 0 ? threads / executed : 0;
}

// A count of an instruction. Null: prof does not have it.
struct CountColumn {
  const char* column;
  std::int64_t (*value)(const stalls::SassCounts&) = nullptr;
};
using stalls::SassCounts;
constexpr CountColumn kCountColumns[] = {
    {"Instructions Executed", [](const SassCounts& of) { return of.executed; }},
    {"Thread Instructions Executed", [](const SassCounts& of) { return of.thread_executed; }},
    {"Predicated-On Thread Instructions Executed",
     [](const SassCounts& of) { return of.thread_true; }},
    {"Avg. Threads Executed",
     [](const SassCounts& of) { return average(of.thread_executed, of.executed); }},
    {"Avg. Predicated-On Threads Executed",
     [](const SassCounts& of) { return average(of.thread_true, of.executed); }},
    {"Derivative Avg. Predicated-On Threads Executed"},
    {"Avg. Predicated-On Threads Unexecuted"},
    {"Divergent Branches", [](const SassCounts& of) { return of.divergent; }},
    {"Address Space"},
    {"Access Operation"},
    {"Access Size"},
    {"L1 Tag Requests Global", [](const SassCounts& of) { return of.tags; }},
    {"L1 Conflicts Shared N-Way"},
    {"L1 Wavefronts Shared Excessive", [](const SassCounts& of) { return of.excess_wavefronts(); }},
    {"L1 Wavefronts Shared", [](const SassCounts& of) { return of.wavefronts; }},
    {"L1 Wavefronts Shared Ideal", [](const SassCounts& of) { return of.wavefronts_ideal; }},
    {"L2 Theoretical Sectors Global Excessive",
     [](const SassCounts& of) { return of.excess_sectors(); }},
    {"L2 Theoretical Sectors Global", [](const SassCounts& of) { return of.sectors; }},
    {"L2 Theoretical Sectors Global Ideal", [](const SassCounts& of) { return of.sectors_ideal; }},
    {"L2 Explicit Evict Policies"},
    {"L2 Explicit Hit Policy Evict First"},
    {"L2 Explicit Hit Policy Evict Last"},
    {"L2 Explicit Hit Policy Evict Normal"},
    {"L2 Explicit Hit Policy Evict Normal Demote"},
    {"L2 Explicit Miss Policy Evict First"},
    {"L2 Explicit Miss Policy Evict Normal"}};

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
  for (const CountColumn& each : kCountColumns) append_csv_field(head, each.column);
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

void add_head(const std::string& kernel, std::string& text) {
  append_csv_field(text, "Kernel Name", true);
  append_csv_field(text, kernel);
  text += ",\n" + source_header();
}

void add_code(const stalls::CodeLine& line, std::string& text) {
  append_csv_field(text, fmt::format("{:#x}", line.offset), true);
  append_csv_field(text, aligned(line.text));
}

void add_empty(std::size_t columns, std::string& text) {
  for (std::size_t at = 0; at < columns; ++at) append_csv_field(text, "");
}

void add_sampled(const stalls::ListedInstruction& instruction, stalls::ReasonNames& reasons,
                 std::string& text) {
  const stalls::Count& total = instruction.sum.total();
  add_code(instruction.code, text);
  for (const std::int64_t each : {total.samples, total.not_issued, total.samples})
    append_csv_field(text, std::to_string(each));
  add_empty(std::size(kCountColumns), text);
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

void add_counted(const stalls::CodeLine& line, const SassCounts& counts, std::string& text) {
  constexpr std::size_t kSamples = std::size(kSampleColumns) - 2;  // without address and source
  add_code(line, text);
  add_empty(kSamples, text);
  for (const CountColumn& each : kCountColumns)
    append_csv_field(text, each.value != nullptr ? std::to_string(each.value(counts)) : "");
  add_empty(2 * std::size(kStallColumns), text);
  text += '\n';
}

base::Result<std::string> sampled_page(const report::ReportReader& reader) {
  const auto instructions = stalls::read_instructions(reader);
  if (!instructions) return tl::make_unexpected(instructions.error());
  const auto kernels =
      stalls::sampled_kernels(reader, *instructions, events::KernelName::kDemangled);
  if (!kernels) return tl::make_unexpected(kernels.error());
  stalls::KernelCode sources(reader);
  stalls::ReasonNames reasons(reader);
  const std::string nvdisasm = stalls::find_nvdisasm();
  std::string text;
  for (const stalls::SampledKernel& kernel : *kernels) {
    for (const stalls::Listing& each :
         stalls::listings_of(kernel, *instructions, sources, nvdisasm)) {
      add_head(kernel.name, text);
      for (const stalls::ListedInstruction& instruction : each.instructions)
        add_sampled(instruction, reasons, text);
    }
  }
  return text;
}

// The kernels of launches, by PROF_KERNEL_PROFILES.id.
base::Result<std::map<std::int64_t, std::string>> read_kernel_names(
    const report::ReportReader& reader) {
  auto names = events::KernelNames::make(reader, {});
  if (!names) return tl::make_unexpected(names.error());
  const auto profiles = insight::read_kernel_profiles(reader, *names);
  if (!profiles) return tl::make_unexpected(profiles.error());
  std::map<std::int64_t, std::string> kernels;
  for (const insight::ProfiledLaunch& each : profiles->launches)
    kernels.emplace(each.id, names->text(each.configuration.kernel));
  return kernels;
}

// Counts are of launches: each has a part for each function that it ran.
base::Result<std::string> counted_page(const report::ReportReader& reader,
                                       const std::vector<stalls::CountedInstruction>& counted) {
  const auto kernels = read_kernel_names(reader);
  if (!kernels) return tl::make_unexpected(kernels.error());
  using Function = std::pair<std::int64_t, std::int64_t>;  // function, cubin
  std::map<std::int64_t, std::map<Function, std::map<std::uint64_t, SassCounts>>> launches;
  for (const stalls::CountedInstruction& each : counted)
    launches[each.profile][{each.function, each.cubin}][each.offset].add(each.counts);
  stalls::KernelCode sources(reader);
  events::Strings strings(reader);
  const std::string nvdisasm = stalls::find_nvdisasm();
  std::map<Function, std::vector<stalls::CodeLine>> codes;
  std::string text;
  for (auto& [profile, functions] : launches) {
    const auto kernel = kernels->find(profile);
    if (kernel == kernels->end()) continue;  // a filter leaves it out
    for (auto& [function, counts] : functions) {
      std::set<std::uint64_t> offsets;
      for (const auto& [offset, of] : counts) offsets.insert(offset);
      auto& lines = codes[function];
      const std::string& name = strings.text(function.first);
      // Without the code the instructions are those of this launch.
      if (lines.empty() || sources.find(function.second, name) == nullptr)
        lines = stalls::code_lines(function.second, name, std::move(offsets), sources, nvdisasm);
      add_head(kernel->second, text);
      for (const stalls::CodeLine& each : lines) add_counted(each, counts[each.offset], text);
    }
  }
  return text;
}

}  // namespace

base::Result<std::string> source_page(const report::ReportReader& reader) {
  const auto counted = stalls::read_sass_counts(reader);
  if (!counted) return tl::make_unexpected(counted.error());
  return counted->empty() ? sampled_page(reader) : counted_page(reader, *counted);
}

}  // namespace prof::stats
