#include "exporters/analysis/analyze/program/waits/event_loops.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/events/call_chains/symbol_names.hpp"

namespace prof::analyze {

namespace {

using events::CodeKind;
using events::Function;

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// True for a function that runs until its event loop is stopped. uvloop has no Python frame, but
// Python's asyncio starts it.
bool runs_python_loop(const Function& function) {
  if (function.kind == CodeKind::kPython)
    return (function.module.ends_with("asyncio/base_events.py") &&
            has_any(function.name, {"_run_once", "run_forever"})) ||
           has_any(function.module, {"/trio/_core/", "/twisted/internet/"});
  return has_any(function.module, {"uvloop/loop"});
}

// libuv (Node.js), libevent, libev and Redis.
bool is_native_loop_name(std::string_view name) {
  name = events::public_name(name);
  for (const std::string_view each :
       {"uv_run", "uv__io_poll", "event_base_loop", "ev_run", "aeProcessEvents", "aeMain"})
    if (name == each) return true;
  return false;
}

bool is_node(const std::string& process) {
  const std::string_view file = events::file_name(process);
  return file == "node" || file == "nodejs";
}

void mark(const CodeProfile* profile, bool (*runs_loop)(const Function&), EventLoop loop,
          std::vector<EventLoop>& loops) {
  if (profile == nullptr) return;
  const std::vector<bool> nodes = nodes_in(*profile, runs_loop);
  for (const CodeProfile::Sample& sample : profile->samples)
    if (nodes[sample.node]) loops[sample.thread] = loop;
}

// Marks threads by the callers of their calls of epoll_wait. The first calls of a thread are
// enough.
void mark_by_calls(CpuFacts& facts, std::vector<EventLoop>& loops) {
  constexpr int kEnough = 50;
  std::vector<int> seen(facts.threads.size());
  for (const OsCall& call : facts.calls) {
    if (call.purpose != CallPurpose::kPoll || seen[call.thread] >= kEnough) continue;
    ++seen[call.thread];
    if (loops[call.thread] != EventLoop::kNone || !facts.name(call).starts_with("epoll")) continue;
    const std::int64_t number =
        facts.callers ? facts.callers->caller_of(call.chain, call.name) : events::Callers::kNone;
    if (number != events::Callers::kNone) {
      const events::Caller& caller = facts.callers->text(number);
      if (has_any(caller.places, {"asyncio/", "uvloop/", "/trio/_core/", "/twisted/internet/"}))
        loops[call.thread] = EventLoop::kPython;
      else if (is_native_loop_name(
                   std::string_view(caller.functions).substr(0, caller.functions.find(" < "))))
        loops[call.thread] = EventLoop::kNative;
    }
    if (loops[call.thread] == EventLoop::kNone && is_node(facts.threads[call.thread].process))
      loops[call.thread] = EventLoop::kNative;
  }
}

}  // namespace

bool runs_native_loop(const Function& function) {
  return function.kind == CodeKind::kNative && is_native_loop_name(function.name);
}

bool is_loop_code(const Function& function) {
  return function.kind == CodeKind::kPython &&
         (has_any(function.module, {"/asyncio/", "/uvloop/", "/trio/_core/"}) ||
          events::file_name(function.module) == "selectors.py");
}

const std::vector<EventLoop>& event_loops(CpuFacts& facts) {
  if (facts.event_loops) return *facts.event_loops;
  std::vector<EventLoop> loops(facts.threads.size(), EventLoop::kNone);
  mark(facts.native.get(), runs_native_loop, EventLoop::kNative, loops);
  // A loop of libuv may be uvloop's, so Python comes last.
  mark(facts.native.get(), runs_python_loop, EventLoop::kPython, loops);
  mark(facts.python.get(), runs_python_loop, EventLoop::kPython, loops);
  mark(facts.python_waits.get(), runs_python_loop, EventLoop::kPython, loops);
  mark_by_calls(facts, loops);
  facts.event_loops = std::move(loops);
  return *facts.event_loops;
}

}  // namespace prof::analyze
