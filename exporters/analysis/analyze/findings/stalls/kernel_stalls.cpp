#include "exporters/analysis/analyze/findings/stalls/kernel_stalls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stalls/kernel_code.hpp"
#include "exporters/analysis/stalls/kernels.hpp"
#include "exporters/analysis/stalls/samples.hpp"

namespace prof::analyze {

namespace {

double samples_part(std::int64_t of, std::int64_t all) {
  return all <= 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string line_text(const std::vector<symbols::SourceFrame>& frames) {
  if (frames[0].line == 0) return {};
  std::string text = fmt::format("{}:{}", last_part(frames[0].file), frames[0].line);
  if (frames.size() == 1) return text;
  const symbols::SourceFrame& caller = frames.back();
  return text + fmt::format(", inlined at {}:{}", last_part(caller.file), caller.line);
}

using PlaceSamples = std::map<std::string, std::int64_t>;

SampledPlace most_sampled(const PlaceSamples& places, std::int64_t all) {
  const auto most = std::ranges::max_element(
      places, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == places.end()) return {};
  return {most->first, samples_part(most->second, all)};
}

// Sums up the samples of the kernels with one name.
struct SampledName {
  stalls::Sum sum;
  PlaceSamples places;
  std::map<stalls::Cause, PlaceSamples> places_by_cause;
};

KernelStalls stalls_of(std::int64_t kernel, const SampledName& sampled,
                       stalls::ReasonNames& reasons) {
  KernelStalls result;
  result.name = kernel;
  result.samples = sampled.sum.total().samples;
  result.issued = sampled.sum.issued();
  result.place = most_sampled(sampled.places, result.samples);
  for (const stalls::Cause cause : stalls::kWaits) {
    const std::int64_t samples = reasons.samples_of(sampled.sum, cause);
    if (samples == 0) continue;
    const stalls::ReasonNames::Main main = reasons.main_of(sampled.sum, cause);
    const std::string& name = reasons.name(main.reason);
    const stalls::Reason reason = stalls::reason_of(name);
    CauseShare share{cause,         samples_part(samples, result.samples),     name, reason.meaning,
                     reason.remedy, samples_part(main.samples, result.samples)};
    if (const auto places = sampled.places_by_cause.find(cause);
        places != sampled.places_by_cause.end())
      share.place = most_sampled(places->second, samples);
    result.causes.push_back(std::move(share));
  }
  std::ranges::stable_sort(
      result.causes, [](const CauseShare& a, const CauseShare& b) { return a.share > b.share; });
  return result;
}

void add_times(const insight::GpuWork& work, std::map<std::int64_t, KernelStalls>& kernels) {
  for (const insight::Operation& each : work.operations()) {
    if (each.kind != insight::WorkKind::kKernel) continue;
    const auto found = kernels.find(each.name);
    if (found == kernels.end()) continue;
    KernelStalls& kernel = found->second;
    kernel.time = events::sum(kernel.time, each.duration());
    ++kernel.count;
    if (!kernel.longest || each.duration() > kernel.longest->duration()) kernel.longest = each;
  }
}

}  // namespace

base::Result<std::vector<KernelStalls>> read_kernel_stalls(const report::ReportReader& reader,
                                                           const insight::GpuWork& work) {
  std::vector<KernelStalls> result;
  if (!reader.has_table(events::kPcSampleTable)) return result;
  const auto instructions = stalls::read_instructions(reader);
  if (!instructions) return tl::make_unexpected(instructions.error());
  const auto launched = stalls::read_launched(reader);
  if (!launched) return tl::make_unexpected(launched.error());
  stalls::ReasonNames reasons(reader);
  stalls::KernelCode code(reader);
  std::map<std::int64_t, SampledName> names;
  for (const stalls::Instruction& each : *instructions) {
    const auto found = launched->find(each.function);
    if (found == launched->end()) continue;
    SampledName& sampled = names[found->second.demangled];
    sampled.sum.add(each.sum);
    const std::string place =
        line_text(code.frames(each.cubin, work.kernel_name(each.function), each.offset));
    if (place.empty()) continue;
    sampled.places[place] += each.sum.total().samples;
    for (const stalls::Cause cause : stalls::kWaits)
      if (const std::int64_t samples = reasons.samples_of(each.sum, cause); samples > 0)
        sampled.places_by_cause[cause][place] += samples;
  }
  std::map<std::int64_t, KernelStalls> kernels;
  for (const auto& [name, sampled] : names)
    kernels.emplace(name, stalls_of(name, sampled, reasons));
  add_times(work, kernels);
  for (auto& [name, kernel] : kernels)
    if (kernel.longest) result.push_back(std::move(kernel));
  return result;
}

std::string stall_text(const std::vector<KernelStalls>& stalls, std::int64_t name) {
  const auto kernel = std::ranges::find(stalls, name, &KernelStalls::name);
  if (kernel == stalls.end() || !kernel->is_known() || kernel->is_issue_bound() ||
      kernel->causes.empty())
    return {};
  const CauseShare& main = kernel->causes[0];
  std::string text = fmt::format("; in {:.0f} % of its samples the warp {}",
                                 100 * main.reason_share, main.meaning);
  if (!main.place.text.empty()) text += ", most at " + base::mark_name("line", main.place.text);
  return text;
}

}  // namespace prof::analyze
