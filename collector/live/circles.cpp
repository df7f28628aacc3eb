#include "collector/live/circles.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "collector/live/files/descriptors.hpp"
#include "collector/live/stopped_call.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"

namespace prof::live {

namespace {

struct Stuck {
  ProcessState* state;
  Thread* thread;  // the one that waits for other processes
};
using StuckProcesses = std::map<pid_t, Stuck>;

// Returns the thread that waits for other processes while all other threads wait for threads of
// the same process. Returns null if a thread runs or waits for something else, such as time.
Thread* only_outward_thread(ProcessState& state) {
  Thread* found = nullptr;
  for (Thread& each : state.threads) {
    const Wait& wait = each.wait;
    const bool is_inward = (wait.kind == WaitKind::kLock && !wait.is_of_file) ||
                           wait.kind == WaitKind::kThread || wait.kind == WaitKind::kUnknown;
    if (is_inward) continue;
    // A thread that polls several descriptors can wait for something else, too.
    const bool is_outward = wait.is_of_file || wait.kind == WaitKind::kChild ||
                            (wait.kind == WaitKind::kPeer && wait.pipe != 0);
    if (!is_outward || wait.processes.empty() || found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

// Removes processes that wait for one which is not stuck, until there are no more of them.
void keep_stuck(StuckProcesses& stuck) {
  while (std::erase_if(stuck, [&](const auto& each) {
           return !std::ranges::all_of(each.second.thread->wait.processes,
                                       [&](pid_t pid) { return stuck.contains(pid); });
         }) > 0) {
  }
}

// Removes processes that use a pipe which a process that prof does not look at has open, too.
void remove_open_pipes(StuckProcesses& stuck) {
  Descriptors descriptors;
  std::vector<pid_t> all = base::ids_in("/proc");
  std::erase(all, getpid());
  std::erase_if(stuck, [&](const auto& each) {
    const Wait& wait = each.second.thread->wait;
    return wait.pipe != 0 && descriptors.other_ends(wait.pipe, wait.reads, each.first, all).size() >
                                 wait.processes.size();
  });
}

// Returns how often the thread has left a CPU, or an empty text if it does not wait.
std::string switches_of(pid_t pid, pid_t thread) {
  const std::string status = base::read_proc_file(base::proc_path(pid, thread, "status"));
  const std::string_view state = base::status_value(status, "State");
  if (!state.starts_with('S') && !state.starts_with('D')) return "";
  return std::string(base::status_value(status, "voluntary_ctxt_switches")) + " " +
         std::string(base::status_value(status, "nonvoluntary_ctxt_switches"));
}

// Returns the switches of all threads; empty if one of them does not wait.
std::vector<std::string> switches_of(const StuckProcesses& stuck) {
  std::vector<std::string> all;
  for (const auto& [pid, each] : stuck) {
    const std::vector<pid_t> threads = base::threads_of(pid);
    if (threads.size() != each.state->threads.size()) return {};
    for (const pid_t thread : threads) {
      all.push_back(switches_of(pid, thread));
      if (all.back().empty()) return {};
    }
  }
  return all;
}

bool is_in_same_call(const Thread& thread) {
  const auto now = call_of_unstopped(thread.id);
  return now && thread.system_call && now->number == thread.system_call->number &&
         now->arguments == thread.system_call->arguments;
}

// True if all threads were still in their calls at one moment: those of different processes were
// not copied at the same time, and may have gone on in between.
bool wait_together(const StuckProcesses& stuck) {
  const std::vector<std::string> before = switches_of(stuck);
  if (before.empty()) return false;
  for (const auto& [pid, each] : stuck)
    if (!std::ranges::all_of(each.state->threads, is_in_same_call)) return false;
  return switches_of(stuck) == before;
}

// Marks the processes that are reached again from themselves.
void mark(const StuckProcesses& stuck) {
  std::set<pid_t> seen;
  for (const auto& start : stuck) {
    std::vector<pid_t> path;
    pid_t at = start.first;
    while (seen.insert(at).second) {
      path.push_back(at);
      at = stuck.at(at).thread->wait.processes.front();
    }
    for (auto each = std::ranges::find(path, at); each != path.end(); ++each)
      stuck.at(*each).thread->is_in_circle = true;
  }
}

}  // namespace

void mark_circles(std::vector<ProcessState>& states) {
  // A thread that prof has stopped needs a moment to be in its call again.
  constexpr int kLooks = 5;
  constexpr std::chrono::milliseconds kPause{2};
  StuckProcesses stuck;
  for (ProcessState& each : states)
    if (Thread* thread = only_outward_thread(each))
      stuck.emplace(each.process.pid, Stuck{&each, thread});
  keep_stuck(stuck);
  if (stuck.empty()) return;
  remove_open_pipes(stuck);
  keep_stuck(stuck);
  for (int i = 0; i < kLooks && !stuck.empty(); ++i) {
    if (wait_together(stuck)) return mark(stuck);
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace prof::live
