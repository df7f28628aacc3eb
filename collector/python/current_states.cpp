#include "collector/python/current_states.hpp"

#include <algorithm>
#include <map>

namespace prof::python {
namespace {

using State = CurrentStates::State;

constexpr std::size_t kMaxRemembered = 8192;

struct Thread {
  bool is_running = false;
  const State* current = nullptr;
};
using Threads = std::map<pid_t, Thread>;

bool is_free(const Threads& threads, pid_t thread) {
  const auto found = threads.find(thread);
  return found != threads.end() && found->second.is_running && found->second.current == nullptr;
}

// Returns the only running thread without a state, or 0.
pid_t only_free(const Threads& threads) {
  pid_t only = 0;
  for (const auto& [thread, each] : threads) {
    if (!is_free(threads, thread)) continue;
    if (only != 0) return 0;
    only = thread;
  }
  return only;
}

// Returns the state that a thread ran last, if no thread runs it now: the thread may have released
// the interpreter's lock.
const State* left_by(pid_t thread, std::uint64_t last, const std::vector<State>& states,
                     const Threads& threads) {
  const auto is_taken = [&](const State& state) {
    return std::ranges::any_of(threads, [&](const auto& each) {
      return each.second.current != nullptr && each.second.current->address == state.address;
    });
  };
  const State* own = nullptr;
  for (const State& state : states) {
    if (is_taken(state)) continue;
    if (state.address == last && state.has_frames) return &state;
    if (state.thread == thread && (own == nullptr || (!own->has_frames && state.has_frames)))
      own = &state;
  }
  return own;
}

}  // namespace

std::vector<CurrentStates::Choice> CurrentStates::choose(
    const std::vector<State>& states, const std::function<bool(pid_t)>& is_running) {
  if (last_state_.size() > kMaxRemembered) last_state_.clear();
  if (last_thread_.size() > kMaxRemembered) last_thread_.clear();
  Threads threads;
  for (const State& each : states)
    if (each.thread > 0 && !threads.contains(each.thread))
      threads[each.thread].is_running = is_running(each.thread);
  const auto take = [&](pid_t thread, const State& state) {
    threads[thread].current = &state;
    last_state_[thread] = state.address;
    last_thread_[state.address] = thread;
  };
  std::vector<const State*> unknown;
  for (const State& each : states) {
    if (!each.is_current) continue;
    const auto last = last_thread_.find(each.address);
    if (last != last_thread_.end() && is_free(threads, last->second))
      take(last->second, each);
    else if (is_free(threads, each.thread))
      take(each.thread, each);
    else
      unknown.push_back(&each);
  }
  bool is_clear = true;
  for (const State* each : unknown) {
    const pid_t thread = only_free(threads);
    if (thread != 0) take(thread, *each);
    is_clear = is_clear && thread != 0;
  }
  std::vector<Choice> choices;
  for (const auto& [thread, each] : threads) {
    const State* state = each.current;
    if (state == nullptr && (is_clear || !each.is_running))
      state = left_by(thread, last_state_[thread], states, threads);
    if (state != nullptr) choices.push_back({thread, state->address, each.is_running});
  }
  return choices;
}

}  // namespace prof::python
