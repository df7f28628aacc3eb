// Finds callbacks that keep an event loop from all its other work.
//
// Between two calls of epoll_wait a loop runs the callbacks that are due. Calls that return at once
// are shorter than the threshold of OS-runtime calls and not recorded, so a long time without a
// recorded call may have many turns of the loop. Such a time counts only if a single call takes
// most of it, or if the number of unrecorded calls and the samples speak against more turns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/analyze/program/waits/call_purpose.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/analyze/program/waits/event_loops.hpp"
#include "exporters/analysis/analyze/program/waits/periods.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;
using insight::Interval;

constexpr std::int64_t kBlocked = 50'000'000;  // ns in which the loop calls nothing else

// A time between two calls of epoll_wait of one thread.
struct Turn {
  std::uint32_t thread = 0;
  Interval time;
  std::int64_t length = 0;  // ns, without waits for a CPU
  double share = 0;         // ns of the program's time
  std::span<const OsCall> calls;
};

bool is_loop_call(CpuFacts& facts, const OsCall& call) {
  return call.purpose == CallPurpose::kPoll && facts.name(call).starts_with("epoll");
}

// The time of a turn, as far as it is not a wait for a CPU.
void add_times(const CpuFacts& facts, Turn& turn) {
  for_each_period(facts, turn.thread, turn.time, [&](const Period& period, const Interval& part) {
    if (period.activity == Activity::kNeedsCpu || period.length() <= 0) return;
    turn.length += part.length();
    turn.share +=
        period.share * static_cast<double>(part.length()) / static_cast<double>(period.length());
  });
}

// The calls of a thread's event loop.
struct LoopCalls {
  std::int64_t recorded = 0;    // calls of epoll_wait
  std::int64_t unrecorded = 0;  // calls of epoll_wait
  std::int64_t timeouts = 0;    // recorded calls that ended because a timer was due
  bool accepts = false;         // the thread accepts clients

  // True if something waits while the loop is blocked: clients, or timers. Compilers and other
  // tools for Node.js use a loop, too, and nobody waits for it.
  bool serves() const {
    constexpr std::int64_t kMinTimeouts = 10;
    return accepts || timeouts >= kMinTimeouts;
  }
  double turns_per_recorded() const {
    return 1 + static_cast<double>(unrecorded) /
                   static_cast<double>(std::max<std::int64_t>(recorded, 1));
  }
};

// The turns of all event loops that take long.
class Turns {
 public:
  explicit Turns(CpuFacts& facts) : facts_(facts), calls_(facts.threads.size()) {
    for (const ShortCallSum& each : facts.short_calls) {
      const CallPurpose purpose = purpose_of(facts.strings->text(each.name));
      if (purpose == CallPurpose::kPoll) calls_[each.thread].unrecorded += each.calls;
      if (purpose == CallPurpose::kAccept) calls_[each.thread].accepts = true;
    }
    collect();
    std::erase_if(turns_, [this](const Turn& turn) {
      const bool is_native = event_loops(facts_)[turn.thread] == EventLoop::kNative;
      return (is_native && !calls_[turn.thread].serves()) || !is_one_turn(turn);
    });
  }
  std::vector<Turn> take() { return std::move(turns_); }

 private:
  void collect() {
    const std::vector<EventLoop>& loops = event_loops(facts_);
    const OsCall* last = nullptr;  // the last call of epoll_wait of this thread
    for (const OsCall& call : facts_.calls) {
      if (loops[call.thread] == EventLoop::kNone || call.is_nested) continue;
      if (last != nullptr && last->thread != call.thread) last = nullptr;
      if (call.purpose == CallPurpose::kAccept) calls_[call.thread].accepts = true;
      if (!is_loop_call(facts_, call)) continue;
      ++calls_[call.thread].recorded;
      if (call.result == 0) ++calls_[call.thread].timeouts;
      if (last != nullptr) add({call.thread, {last->end, call.start}, 0, 0, {last + 1, &call}});
      last = &call;
    }
  }

  void add(Turn turn) {
    if (turn.time.length() < kBlocked) return;
    add_times(facts_, turn);
    if (turn.length >= kBlocked) turns_.push_back(turn);
  }

  bool is_one_turn(const Turn& turn) const {
    std::int64_t blocked = 0;
    for (const OsCall& call : turn.calls)
      if (!call.is_nested && call.length() >= kBlocked) blocked += call.length();
    if (2 * blocked >= turn.length) return true;
    const double at_most = calls_[turn.thread].turns_per_recorded();
    if (static_cast<double>(turn.length) / at_most < kBlocked / 2.0) return false;
    if (!facts_.python) return true;
    // The loop's own code takes some 50 us of each turn, so samples of many turns show it.
    const auto samples = samples_during(*facts_.python, turn.thread, turn.time);
    const auto of_loop = std::ranges::count_if(samples, [this](const CodeProfile::Sample& sample) {
      return is_loop_code(function_of(*facts_.python, sample.node));
    });
    return of_loop <= 1 + std::ssize(samples) / 100;
  }

  CpuFacts& facts_;
  std::vector<LoopCalls> calls_;  // by thread
  std::vector<Turn> turns_;
};

// True for a function in JavaScript that does not belong to Node.js itself.
bool is_own_javascript(const events::Function& function) {
  return is_named_jit_code(function) && is_own_code(function);
}

// Returns "compress (app.py:11), called by handle (app.py:18)": the user's innermost function and
// the callback, which is the first function of the user inside of the loop. Empty if it is unknown.
std::string callback_text(const CodeProfile& profile, Node node) {
  const auto text_of = [&](Node at) {
    return code_text(function_of(profile, at), frame_of(profile, at).line);
  };
  if (is_unknown_code(function_of(profile, node))) return "";
  bool is_jit = false;  // then native code, such as the program node, is not the user's
  for (Node at = node; at != CallTree::kNone; at = profile.tree.parent(at))
    is_jit = is_jit || is_named_jit_code(function_of(profile, at));
  Node own = CallTree::kNone;
  Node callback = CallTree::kNone;
  for (Node at = node; at != CallTree::kNone; at = profile.tree.parent(at)) {
    const events::Function& function = function_of(profile, at);
    if (is_loop_code(function) || runs_native_loop(function)) break;
    if (!(is_jit ? is_own_javascript(function) : is_own_code(function))) continue;
    if (own == CallTree::kNone) own = at;
    callback = at;
  }
  if (own == CallTree::kNone) return place_text(profile, node);
  if (function_of(profile, own).name == function_of(profile, callback).name) return text_of(own);
  return text_of(own) + ", called by " + text_of(callback);
}

using Places = std::map<std::string, double>;  // ns by place

// Divides a time among the places of the samples in it. Returns false if there are none.
bool add_samples(const CodeProfile* profile, std::uint32_t thread, const Interval& time,
                 double length, Places& places) {
  if (profile == nullptr) return false;
  const auto samples = samples_during(*profile, thread, time);
  if (samples.empty()) return false;
  std::map<Node, double> nodes;
  for (const CodeProfile::Sample& each : samples) nodes[each.node] += 1;
  for (const auto& [node, count] : nodes)
    places[callback_text(*profile, node)] += length * count / static_cast<double>(samples.size());
  return true;
}

// Adds what a loop did in a turn: calls that wait, and computations between them.
void add_turn(CpuFacts& facts, const Turn& turn, Places& places) {
  constexpr std::int64_t kLongCall = kBlocked / 10;
  std::int64_t rest = turn.length;
  for (const OsCall& call : turn.calls) {
    if (call.is_nested || call.length() < kLongCall) continue;
    const auto length = static_cast<double>(call.length());
    const Interval time{call.start, call.end};
    if (!add_samples(facts.python_waits.get(), turn.thread, time, length, places))
      places[call_text(facts, call)] += length;
    rest -= call.length();
  }
  if (rest <= 0) return;
  for (const auto* profile : {facts.python.get(), facts.python_waits.get(), facts.native.get()})
    if (add_samples(profile, turn.thread, turn.time, static_cast<double>(rest), places)) return;
}

// Returns "61 % of it in compress (app.py:11), 30 % in load (app.py:20)".
std::string places_text(const Places& places, std::int64_t length) {
  constexpr double kMinShare = 0.15;
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [place, time] : places)
    if (!place.empty() && time >= kMinShare * static_cast<double>(length))
      sorted.emplace_back(time, place);
  std::ranges::sort(sorted, std::greater());
  std::string text;
  for (const auto& [time, place] : sorted)
    text +=
        fmt::format("{}{:.0f} %{} in {}", text.empty() ? "; " : ", ",
                    100 * time / static_cast<double>(length), text.empty() ? " of it" : "", place);
  return text;
}

}  // namespace

std::optional<Finding> event_loop_blocked(CpuFacts& facts) {
  // One long turn may be the set-up of the program.
  constexpr std::size_t kMinTurns = 2;
  // Without context switches a wait for a CPU looks like a long turn.
  if (!facts.has_states) return std::nullopt;
  const std::vector<Turn> turns = Turns(facts).take();
  if (turns.size() < kMinTurns) return std::nullopt;
  double share = 0;
  std::int64_t length = 0;
  Places places;
  const Turn* longest = &turns.front();
  for (const Turn& turn : turns) {
    share += turn.share;
    length += turn.length;
    if (turn.length > longest->length) longest = &turn;
    add_turn(facts, turn, places);
  }
  std::string evidence = fmt::format(
      "{} of {} and more, {} on average, {} at most", count_text(std::ssize(turns), "turn"),
      time_text(kBlocked), time_text(length / std::ssize(turns)), time_text(longest->length));
  evidence += places_text(places, length);
  if (facts.threads.size() > 1)
    evidence += fmt::format("; the longest in {}", facts.thread_text(longest->thread));
  return Finding{"event_loop_blocked",
                 "Callbacks block the event loop, and everything else that it serves waits",
                 std::llround(share),
                 evidence,
                 "Do long work and calls that wait outside of the loop: await asyncio.to_thread or "
                 "run_in_executor, an asynchronous library, worker_threads in Node.js; divide "
                 "computations into short pieces",
                 Where{longest->time, facts.threads[longest->thread].global_tid}};
}

}  // namespace prof::analyze
