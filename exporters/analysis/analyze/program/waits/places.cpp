#include "exporters/analysis/analyze/program/waits/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "common/base/text/marked_name.hpp"
#include "common/code/names/short_name.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/events/call_chains/symbol_names.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;
using events::CodeKind;
using events::Function;

constexpr std::size_t kReadable = 60;
constexpr std::size_t kMaxLetters = 100;

// Returns the first node outside of the kernel and of the profiler, from `node` outward.
CallTree::Node outside_of_kernel(const CodeProfile& profile, CallTree::Node node) {
  for (; node != CallTree::kNone; node = profile.tree.parent(node)) {
    const Function& function = profile.code.function_of(profile.tree.frame(node));
    if (function.kind != CodeKind::kKernel && !events::is_profiler_library(function.module)) break;
  }
  return node;
}

std::string frame_text(const CodeProfile& profile, std::uint32_t frame) {
  const Function& function = profile.code.function_of(frame);
  if (is_c_library(function.module))
    return base::mark_name("function", events::public_name(function.name));
  const std::string place = events::location(function, profile.code.frame(frame).line);
  return base::mark_name(
      "function",
      fmt::format(
          "{} ({})", tables::one_line(names::short_name(function.name, kReadable), kMaxLetters),
          tables::one_line(is_own_code(function) ? place : std::string(events::file_name(place)),
                           kMaxLetters)));
}

// Returns the system call that Go code makes, or an empty text. Go makes system calls without the C
// library: syscall.read calls syscall.Syscall, which calls other functions of the runtime before
// and after the system call.
std::string_view go_system_call(const CodeProfile& profile, CallTree::Node node) {
  constexpr int kMaxFrames = 6;
  for (int i = 0; i < kMaxFrames && node != CallTree::kNone; ++i) {
    const std::string_view function = profile.code.function_of(profile.tree.frame(node)).name;
    if (const auto call = events::go_system_call(function); !call.empty()) return call;
    if (function.find("yscall") == std::string_view::npos) return "";
    node = profile.tree.parent(node);
  }
  return "";
}

const CodeProfile::Sample* lower_bound(const CodeProfile& profile, std::uint32_t thread,
                                       std::int64_t time) {
  const auto at =
      std::lower_bound(profile.samples.begin(), profile.samples.end(), std::tuple(thread, time),
                       [](const auto& sample, const auto& key) {
                         return std::tuple(sample.thread, sample.time) < key;
                       });
  return profile.samples.data() + (at - profile.samples.begin());
}

void add_places(const CodeProfile& profile, std::span<const CodeProfile::Sample> samples,
                double running, std::map<std::string, double>& places) {
  for (const CodeProfile::Sample& each : samples)
    if (std::string place = place_text(profile, each.node); !place.empty())
      places[place] += running / static_cast<double>(samples.size());
}

}  // namespace

std::string place_text(const CodeProfile& profile, CallTree::Node node) {
  constexpr int kMaxFrames = 3;
  node = outside_of_kernel(profile, node);
  if (node == CallTree::kNone) return "";
  const Function& innermost = profile.code.function_of(profile.tree.frame(node));
  if (innermost.kind == CodeKind::kMark) return "";
  std::string text = frame_text(profile, profile.tree.frame(node));
  if (is_own_code(innermost)) return text;
  int frames = 1;
  for (node = profile.tree.parent(node); node != CallTree::kNone;
       node = profile.tree.parent(node)) {
    const std::uint32_t frame = profile.tree.frame(node);
    const Function& function = profile.code.function_of(frame);
    if (function.kind == CodeKind::kMark) return text;
    if (events::is_profiler_library(function.module)) continue;
    if (is_own_code(function)) return text + " < " + frame_text(profile, frame);
    if (++frames < kMaxFrames) text += " < " + frame_text(profile, frame);
  }
  return text;
}

std::string_view called_function(const CodeProfile& profile, CallTree::Node node) {
  node = outside_of_kernel(profile, node);
  if (node == CallTree::kNone) return "";
  const Function& function = profile.code.function_of(profile.tree.frame(node));
  if (function.kind != CodeKind::kNative) return "";
  if (events::is_go_library(function.name)) return go_system_call(profile, node);
  if (!is_c_library(function.module)) return "";
  const CallTree::Node caller = outside_of_kernel(profile, profile.tree.parent(node));
  if (caller != CallTree::kNone &&
      is_c_library(profile.code.function_of(profile.tree.frame(caller)).module))
    return "";
  return events::public_name(function.name);
}

const CodeProfile::Sample* python_sample_near(const CpuFacts& facts, std::uint32_t thread,
                                              std::int64_t time) {
  constexpr std::int64_t kNear = 2'000'000;
  if (!facts.python || !facts.python->has_samples()) return nullptr;
  const auto near = samples_during(*facts.python, thread, {time - kNear, time + kNear});
  if (near.empty()) return nullptr;
  return &*std::min_element(near.begin(), near.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.time - time) < std::abs(b.time - time);
  });
}

const CodeProfile::Sample* python_wait_in(const CpuFacts& facts, const OsCall& call) {
  if (!facts.python_waits) return nullptr;
  const auto waits = samples_during(*facts.python_waits, call.thread, {call.start, call.end});
  return waits.empty() ? nullptr : &waits.front();
}

std::span<const CodeProfile::Sample> samples_during(const CodeProfile& profile,
                                                    std::uint32_t thread,
                                                    const insight::Interval& time) {
  const auto* first = lower_bound(profile, thread, time.start);
  const auto* last = lower_bound(profile, thread, time.end);
  return {first, static_cast<std::size_t>(std::max<std::ptrdiff_t>(last - first, 0))};
}

void add_places(const CpuFacts& facts, std::uint32_t thread, const insight::Interval& time,
                double running, std::map<std::string, double>& places) {
  for (const CodeProfile* profile : {facts.python.get(), facts.native.get()}) {
    if (profile == nullptr) continue;
    const auto samples = samples_during(*profile, thread, time);
    if (!samples.empty()) return add_places(*profile, samples, running, places);
  }
}

}  // namespace prof::analyze
