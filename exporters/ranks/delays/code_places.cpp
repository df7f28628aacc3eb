#include "exporters/ranks/delays/code_places.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"

namespace prof::ranks {

using analyze::CodeProfile;
using analyze::Node;
using events::CallTree;
using insight::Interval;

namespace {

std::vector<Node> own_nodes(const std::unique_ptr<CodeProfile>& profile) {
  if (!profile) return {};
  return analyze::nearest_nodes(*profile, analyze::is_own_code);
}

}  // namespace

// Samples by function and line.
struct CodePlaces::Sums {
  using Function = std::pair<const CodeProfile*, std::uint32_t>;
  struct Sum {
    std::size_t samples = 0;
    std::map<std::int64_t, std::size_t> lines;
  };
  std::map<Function, Sum> functions;

  void add(const CodeProfile& profile, Node node) {
    const events::Frame& frame = analyze::frame_of(profile, node);
    Sum& sum = functions[{&profile, frame.function}];
    ++sum.samples;
    ++sum.lines[frame.line];
  }

  std::string text_of_most() const {
    const auto most = std::ranges::max_element(
        functions, {}, [](const auto& each) { return each.second.samples; });
    if (most == functions.end()) return "";
    const auto& [profile, function] = most->first;
    const auto line = std::ranges::max_element(most->second.lines, {},
                                               [](const auto& each) { return each.second; });
    return analyze::code_text(profile->code.function(function), line->first);
  }
};

CodePlaces::CodePlaces(std::shared_ptr<const events::CodeLines> lines, analyze::CpuFacts facts)
    : lines_(std::move(lines)),
      facts_(std::move(facts)),
      own_native_(own_nodes(facts_.native)),
      own_python_(own_nodes(facts_.python)) {}

base::Result<CodePlaces> CodePlaces::read(const report::ReportReader& reader,
                                          const FindLines& find_lines) {
  auto lines = find_lines ? find_lines(reader) : nullptr;
  auto facts = analyze::read_cpu_facts(reader, lines.get());
  if (!facts) return tl::make_unexpected(facts.error());
  return CodePlaces(std::move(lines), *std::move(facts));
}

void CodePlaces::add_python(Node node, Sums& sums) const {
  const Node own = own_python_[node];
  sums.add(*facts_.python, own == CallTree::kNone ? node : own);
}

void CodePlaces::add_python(std::uint32_t thread, const Interval& time, Sums& sums) const {
  if (!facts_.python) return;
  for (const CodeProfile::Sample& each : analyze::samples_during(*facts_.python, thread, time))
    add_python(each.node, sums);
}

// What the interpreter executes is Python's code.
void CodePlaces::add_native(std::uint32_t thread, const Interval& time, Sums& sums) const {
  if (!facts_.native) return;
  for (const CodeProfile::Sample& each : analyze::samples_during(*facts_.native, thread, time)) {
    if (const Node own = own_native_[each.node]; own != CallTree::kNone)
      sums.add(*facts_.native, own);
    else if (const auto* python = analyze::python_sample_near(facts_, thread, each.time))
      add_python(python->node, sums);
    else if (!facts_.python)
      sums.add(*facts_.native, each.node);
  }
}

std::uint32_t CodePlaces::thread_of(std::int64_t global_tid) const {
  const auto thread =
      std::ranges::lower_bound(facts_.threads, global_tid, {}, &analyze::CpuThread::global_tid);
  if (thread == facts_.threads.end() || thread->global_tid != global_tid)
    return analyze::CpuFacts::kNone;
  return static_cast<std::uint32_t>(thread - facts_.threads.begin());
}

std::string CodePlaces::code_of(std::int64_t global_tid, const std::vector<Interval>& times) const {
  const std::uint32_t thread = thread_of(global_tid);
  if (thread == analyze::CpuFacts::kNone) return "";
  Sums sums;
  for (const Interval& each : times) add_native(thread, each, sums);
  if (sums.functions.empty())
    for (const Interval& each : times) add_python(thread, each, sums);
  return sums.text_of_most();
}

std::string CodePlaces::caller_of(std::int64_t global_tid, const std::vector<Interval>& times,
                                  std::int64_t time) {
  const std::uint32_t thread = thread_of(global_tid);
  if (thread == analyze::CpuFacts::kNone) return "";
  if (facts_.python_waits) {
    const CodeProfile& waits = *facts_.python_waits;
    const std::vector<Node> own = own_nodes(facts_.python_waits);
    Sums sums;
    for (const Interval& each : times)
      for (const CodeProfile::Sample& wait : analyze::samples_during(waits, thread, each))
        sums.add(waits, own[wait.node] == CallTree::kNone ? wait.node : own[wait.node]);
    if (!sums.functions.empty()) return sums.text_of_most();
  }
  const auto place_of = [](const analyze::OsCall& call) {
    return std::pair(call.thread, call.start);
  };
  auto call = std::ranges::upper_bound(facts_.calls, std::pair(thread, time), {}, place_of);
  if (call == facts_.calls.begin()) return "";
  --call;
  if (call->thread != thread || call->end <= time) return "";
  const std::string caller = facts_.caller_text(*call);
  return base::without_marks(caller).starts_with('[') ? "" : caller;  // only its module is known
}

}  // namespace prof::ranks
