#include "exporters/analysis/path/sampled_functions.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/call_chains/sample_call_chains.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::path {

base::Result<SampledFunctions> SampledFunctions::read(const report::ReportReader& reader) {
  SampledFunctions result;
  base::Status read;
  if (reader.has_table(events::sample_table(events::SampleKind::kPython)))
    read = result.read_python(reader);
  if (read && result.threads_.empty() &&
      reader.has_table(events::sample_table(events::SampleKind::kCpu)))
    read = result.read_native(reader);
  if (!read) return tl::make_unexpected(read.error());
  for (auto& [thread, samples] : result.threads_)
    std::ranges::stable_sort(samples, {}, &Sample::time);
  return result;
}

base::Status SampledFunctions::read_python(const report::ReportReader& reader) {
  std::unordered_map<std::int64_t, std::uint32_t> innermost;  // by chain
  events::Strings strings(reader);
  base::Status read = events::for_each_row(
      reader, "SELECT id, symbol FROM PROF_PYTHON_CALLCHAINS WHERE stackDepth = 0",
      [&](const report::Statement& row) {
        innermost[row.integer(0)] = number(strings.text(row.integer(1)));
      });
  if (!read) return read;
  return report::scan(reader, {"PROF_PYTHON_SAMPLES", {"globalTid", "start", "callchainId"}},
                      [&](const report::Row& row) {
                        const auto name = innermost.find(row.integer(2));
                        if (name != innermost.end())
                          threads_[row.integer(0)].push_back({row.integer(1), name->second});
                      });
}

base::Status SampledFunctions::read_native(const report::ReportReader& reader) {
  const auto samples = events::read_samples(reader, events::SampleKind::kCpu);
  if (!samples) return tl::make_unexpected(samples.error());
  events::Strings strings(reader);
  events::CodeFrames code(strings, events::FrameDetail::kFunction);
  return events::for_each_call_chain(
      reader, events::SampleKind::kCpu, *samples, code,
      [&](auto chain, auto frames) {
        const std::uint32_t name =
            frames.empty() ? 0 : number(code.function_of(frames.front()).name);
        for (const events::Sample& each : chain)
          threads_[samples->threads[each.thread]].push_back({each.start, name});
      },
      [&] { threads_.clear(); });
}

std::uint32_t SampledFunctions::number(const std::string& name) {
  const auto [at, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return at->second;
}

std::pair<const SampledFunctions::Sample*, const SampledFunctions::Sample*>
SampledFunctions::samples_in(std::int64_t global_tid, std::int64_t start, std::int64_t end) const {
  const auto found = threads_.find(global_tid);
  if (found == threads_.end()) return {nullptr, nullptr};
  const std::vector<Sample>& samples = found->second;
  const auto first = std::ranges::lower_bound(samples, start, {}, &Sample::time);
  const auto last = std::ranges::lower_bound(first, samples.end(), end, {}, &Sample::time);
  return {samples.data() + (first - samples.begin()), samples.data() + (last - samples.begin())};
}

}  // namespace prof::path
