#include "exporters/formats/sample_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/call_chains/callers.hpp"
#include "exporters/analysis/events/call_chains/sample_call_chains.hpp"
#include "exporters/analysis/events/call_chains/sampling_interval.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/thread_names.hpp"

namespace prof::formats {

using events::CodeKind;
using events::SampleKind;

namespace {

bool is_of_calls(SampleKind kind) { return kind == SampleKind::kOsrt || kind == SampleKind::kCuda; }

// Returns the rank of each thread by its number of samples, most first.
std::vector<std::uint32_t> ranks(const events::Samples& samples) {
  std::vector<std::int64_t> counts(samples.threads.size());
  for (const events::Sample& sample : samples.all) ++counts[sample.thread];
  std::vector<std::uint32_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(-counts[a], samples.threads[a]) < std::tuple(-counts[b], samples.threads[b]);
  });
  std::vector<std::uint32_t> ranks(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

}  // namespace

base::Result<std::unique_ptr<SampleProfile>> SampleProfile::read(const report::ReportReader& reader,
                                                                 SampleKind kind,
                                                                 events::FrameDetail detail,
                                                                 const events::CodeLines* lines) {
  std::unique_ptr<SampleProfile> profile(new SampleProfile(reader, kind, detail, lines));
  const base::Status read = profile->read_samples(reader);
  if (!read) return tl::make_unexpected(read.error());
  return profile;
}

base::Status SampleProfile::read_samples(const report::ReportReader& reader) {
  const auto samples = events::read_samples(reader, kind_);
  if (!samples) return tl::make_unexpected(samples.error());
  interval_ = events::sampling_interval(reader, kind_, *samples);
  if (is_of_calls(kind_) || interval_)
    unit_ = SampleUnit::kNanoseconds;
  else if (!samples->of_clock)
    unit_ = SampleUnit::kCycles;
  rank_ = ranks(*samples);
  if (base::Status named = name_threads(reader, samples->threads); !named) return named;
  samples_.reserve(samples->all.size());
  base::Status read = events::for_each_call_chain(
      reader, kind_, *samples, code_,
      [&](auto chain, auto frames) { add(*samples, chain, frames); },
      [&] {
        tree_ = {};
        samples_.clear();
      });
  if (!read) return read;
  std::sort(samples_.begin(), samples_.end(), [](const Sample& a, const Sample& b) {
    return std::tie(a.thread, a.start, a.path) < std::tie(b.thread, b.start, b.path);
  });
  return {};
}

base::Status SampleProfile::name_threads(const report::ReportReader& reader,
                                         const std::vector<std::int64_t>& threads) {
  const auto names = events::ThreadNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  threads_.resize(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const std::int64_t id = threads[i];
    const auto named = [](const std::string& name, const char* instead) {
      return name.empty() ? instead : name;
    };
    threads_[rank_[i]] = {id, named(names->thread(id), "thread"),
                          named(std::string(events::file_name(names->process(id))), "process"),
                          events::pid_of(id), events::tid_of(id)};
  }
  return {};
}

void SampleProfile::add(const events::Samples& samples, std::span<const events::Sample> chain,
                        std::span<const std::uint32_t> frames) {
  for (const events::Sample& sample : chain) {
    const std::uint32_t thread = rank_[sample.thread];
    Node path = tree_.of_chain(thread, frames);
    if (sample.call != events::Sample::kNoCall) {
      const std::uint32_t call = called_frame(samples.calls[sample.call], frames.front());
      if (call != frames.front()) path = tree_.child(thread, path, call);
    }
    tree_.add(path, 1, sample.weight);
    samples_.push_back({sample.start, value(sample.weight), path, thread});
  }
}

// Returns the frame of the called function. nsys's chains begin with it; prof's chains begin with
// its caller.
std::uint32_t SampleProfile::called_frame(std::int64_t call, std::uint32_t innermost) {
  const std::string_view name = events::without_version(strings_.text(call));
  const events::Function& function = code_.function_of(innermost);
  if (function.kind == CodeKind::kNative && events::is_symbol_of(function.name, name))
    return innermost;
  return code_.frame_of_function({std::string(name), "", CodeKind::kNative});
}

std::int64_t SampleProfile::value(std::int64_t weight) const {
  return interval_ ? events::sampled_time(weight, *interval_) : weight;
}

std::int64_t SampleProfile::value_of(Node node) const { return value(tree_.self(node).weight); }

std::string SampleProfile::label(std::uint32_t frame) const {
  const events::Function& function = code_.function_of(frame);
  if (function.kind != CodeKind::kPython && function.file.empty()) return function.name;
  const std::string place = events::location(function, code_.frame(frame).line);
  return fmt::format("{} ({})", function.name, events::file_name(place));
}

}  // namespace prof::formats
