#include "exporters/analysis/stalls/kernels.hpp"

#include <algorithm>
#include <utility>

#include "common/code/demangle/demangle.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::stalls {
namespace {

std::string name_of(const std::string& mangled, const Launched& launched, events::Strings& strings,
                    events::KernelName naming) {
  if (naming == events::KernelName::kMangled) return mangled;
  const bool is_base = naming == events::KernelName::kBase;
  if (launched.count > 0) return strings.text(is_base ? launched.brief : launched.demangled);
  const demangle::KernelName name = demangle::demangle_kernel(mangled);
  return is_base ? name.brief : name.demangled;
}

}  // namespace

base::Result<std::map<std::int64_t, Launched>> read_launched(const report::ReportReader& reader) {
  std::map<std::int64_t, Launched> result;
  if (!reader.has_table(events::kKernelTable)) return result;
  const base::Status read = events::for_each_event(
      reader, {events::kKernelTable, {"mangledName", "demangledName", "shortName"}},
      [&](const events::Times& times, const report::Row& row) {
        if (row.is_null(0)) return;
        Launched& launched = result[row.integer(0)];
        launched.demangled = row.integer(1);
        launched.brief = row.integer(2);
        launched.time = events::sum(launched.time, times.duration());
        ++launched.count;
      });
  if (!read) return tl::make_unexpected(read.error());
  return result;
}

base::Result<std::vector<SampledKernel>> sampled_kernels(
    const report::ReportReader& reader, const std::vector<Instruction>& instructions,
    events::KernelName naming) {
  const auto launched = read_launched(reader);
  if (!launched) return tl::make_unexpected(launched.error());
  events::Strings strings(reader);
  std::vector<SampledKernel> result;
  for (const Instruction& each : instructions) {
    if (result.empty() || result.back().function != each.function) {
      const auto found = launched->find(each.function);
      SampledKernel kernel{each.function, strings.text(each.function), {}, {}, {}};
      if (found != launched->end()) kernel.launched = found->second;
      kernel.name = name_of(kernel.mangled, kernel.launched, strings, naming);
      result.push_back(std::move(kernel));
    }
    result.back().sum.add(each.sum);
  }
  std::ranges::stable_sort(result, [](const SampledKernel& a, const SampledKernel& b) {
    return a.sum.total().samples > b.sum.total().samples;
  });
  return result;
}

}  // namespace prof::stalls
