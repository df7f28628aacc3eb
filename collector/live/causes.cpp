#include "collector/live/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "collector/live/shown_frames.hpp"

namespace prof::live {

namespace {

constexpr std::size_t kMaxLines = 8;
constexpr std::size_t kMaxPeers = 3;

std::string in_place(const Thread& thread) {
  const std::string place = place_of(thread);
  return place.empty() ? "" : "; it is in " + place;
}

// Returns a text such as "is in f() (x.py:12) and sleeps".
std::string doing(const Thread& thread) {
  const std::string place = place_of(thread);
  return place.empty() ? thread.wait.text : fmt::format("is in {} and {}", place, thread.wait.text);
}

// Returns what a rank is doing: the call of a library if it is in one, else its own function.
std::string activity(const ProcessState& state) {
  const Thread* thread = state.main_thread();
  if (thread == nullptr) return state.problem.empty() ? "unknown code" : state.problem;
  if (!thread->call.empty()) return thread->call;
  const std::string place = place_of(*thread);
  return place.empty() ? "unknown code" : place;
}

class Causes {
 public:
  explicit Causes(const std::vector<ProcessState>& processes) : processes_(processes) {
    for (const ProcessState& each : processes) by_pid_[each.process.pid] = &each;
  }

  std::vector<std::string> find() {
    for (const ProcessState& each : processes_) {
      note_stopped(each);
      find_circle(each);
      find_deadlocks(each);
      find_python_locks(each);
      find_holders(each);
      note_file_locks(each);
      find_peers(each);
    }
    add_stopped();
    compare_ranks();
    for (const FileLock& each : file_locks_) add(each);
    std::vector<std::string> lines = in_order();
    if (lines.size() > kMaxLines) {
      const std::size_t more = lines.size() - kMaxLines;
      lines.resize(kMaxLines);
      lines.push_back(fmt::format("{} more lines like these are left out", more));
    }
    return lines;
  }

 private:
  using Lines = std::vector<std::string>;

  // Returns the lines of all kinds, the most important kind first.
  Lines in_order() {
    Lines lines;
    for (Lines* each :
         {&stopped_, &circles_, &ranks_, &deadlocks_, &python_locks_, &holders_, &files_, &peers_})
      std::ranges::move(*each, std::back_inserter(lines));
    return lines;
  }

  void note_stopped(const ProcessState& state) {
    const Thread* main = state.main_thread();
    if (main == nullptr || main->state != 'T') return;
    if (stopped_pids_.empty()) first_stopped_ = &state;
    stopped_pids_.push_back(state.process.pid);
  }

  void add_stopped() {
    if (stopped_pids_.empty()) return;
    const std::string who = stopped_pids_.size() == 1
                                ? label(first_stopped_->process)
                                : fmt::format("{} processes", stopped_pids_.size());
    stopped_.push_back(who + " " + stopped_text(stopped_pids_));
  }

  static const Thread* circle_thread(const ProcessState& state) {
    const auto found = std::ranges::find_if(state.threads, &Thread::is_in_circle);
    return found == state.threads.end() ? nullptr : &*found;
  }

  // Returns a text such as "waits for the end of process 12 (sh)".
  static std::string waits_for(const Wait& wait, const Process& other) {
    if (wait.is_of_file) return "waits for the lock of a file that " + label(other) + " holds";
    if (wait.pipe == 0) return "waits for the end of " + label(other);
    return wait.reads ? "reads from a pipe to which " + label(other) + " has not written"
                      : "writes to a pipe that " + label(other) + " has not read";
  }

  void find_circle(const ProcessState& state) {
    std::vector<const ProcessState*> members;
    std::string text;
    const ProcessState* at = &state;
    while (circle_thread(*at) != nullptr && in_circles_.insert(at->process.pid).second) {
      members.push_back(at);
      const Wait& wait = circle_thread(*at)->wait;
      at = find(wait.processes.front());
      text +=
          (text.empty() ? label(state.process) + " " : ", which ") + waits_for(wait, at->process);
    }
    if (members.empty()) return;
    circles_.push_back(members.size() == 1
                           ? fmt::format("deadlock in {}:", label(state.process))
                           : fmt::format("deadlock of {} processes: {}", members.size(), text));
    for (const ProcessState* each : members)
      circles_.push_back(
          fmt::format("  {} {}", label(each->process), doing(*circle_thread(*each))));
  }

  void compare_ranks() {
    std::map<std::string, std::vector<const ProcessState*>> groups;
    std::size_t count = 0;
    for (const ProcessState& each : processes_)
      if (each.process.rank >= 0) groups[activity(each)].push_back(&each), ++count;
    if (count < 2) return;
    std::vector<std::pair<std::string, std::vector<const ProcessState*>>> sorted(groups.begin(),
                                                                                 groups.end());
    std::ranges::stable_sort(
        sorted, [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    for (const auto& [what, members] : sorted) {
      std::vector<int> ranks;
      for (const ProcessState* each : members) ranks.push_back(each->process.rank);
      const std::string numbers = live::number_list(ranks);
      const Thread* thread = members[0]->main_thread();
      if (members.size() == count)
        ranks_.push_back(fmt::format("all {} ranks are in {}", count, what));
      else if (members.size() > 1)
        ranks_.push_back(
            fmt::format("{} of {} ranks are in {}: {}", members.size(), count, what, numbers));
      else
        ranks_.push_back(fmt::format("rank {} is in {}{}", numbers, what,
                                     thread == nullptr ? "" : " and " + thread->wait.text));
    }
  }

  // Follows each thread to the thread that it waits for, and so on. A thread that is reached twice
  // is part of a deadlock.
  void find_deadlocks(const ProcessState& state) {
    std::set<pid_t> seen;
    for (const Thread& each : state.threads) {
      std::vector<const Thread*> path;
      const Thread* at = &each;
      while (at != nullptr && at->wait.holder != 0 && !seen.contains(at->id)) {
        seen.insert(at->id);
        path.push_back(at);
        at = state.find(at->wait.holder);
      }
      const auto begin = std::ranges::find(path, at);
      if (at == nullptr || begin == path.end()) continue;
      const auto count = static_cast<std::size_t>(path.end() - begin);
      deadlocks_.push_back(
          count == 1 ? fmt::format("deadlock in {}:", label(state.process))
                     : fmt::format("deadlock of {} threads in {}:", count, label(state.process)));
      for (auto thread = begin; thread != path.end(); ++thread) {
        deadlocks_.push_back(
            fmt::format("  {} {}{}", label(**thread), (*thread)->wait.text, in_place(**thread)));
      }
    }
  }

  // Often it is not known who holds a lock of Python. But if all threads that could release them
  // wait in Python for such locks, none of them ever does. If all holders are known,
  // find_deadlocks() names the threads.
  void find_python_locks(const ProcessState& state) {
    std::vector<const Thread*> waiting;
    for (const Thread& each : state.threads) {
      const bool is_lock = each.wait.is_of_python && each.wait.kind == WaitKind::kLock;
      if (is_lock) waiting.push_back(&each);
      if (!each.wait.is_of_python && std::ranges::any_of(each.frames, &Frame::is_python)) return;
    }
    const bool has_unknown =
        std::ranges::any_of(waiting, [](const Thread* each) { return each->wait.holder == 0; });
    if (waiting.size() < 2 || !has_unknown) return;
    python_locks_.push_back(
        fmt::format("deadlock of {} threads in {}: no thread that runs Python can release a lock:",
                    waiting.size(), label(state.process)));
    for (const Thread* each : waiting)
      python_locks_.push_back(
          fmt::format("  {} {}{}", label(*each), each->wait.text, in_place(*each)));
  }

  // Finds threads that others wait for, and that do not wait for a thread themselves.
  void find_holders(const ProcessState& state) {
    std::map<pid_t, std::size_t> waiting;
    for (const Thread& each : state.threads) {
      const Thread* at = &each;
      std::size_t steps = 0;
      while (at != nullptr && at->wait.holder != 0 && steps++ < state.threads.size())
        at = state.find(at->wait.holder);
      if (at != nullptr && at != &each && at->wait.holder == 0) ++waiting[at->id];
    }
    for (const auto& [holder, count] : waiting) {
      const Thread& thread = *state.find(holder);
      const auto waiter = std::ranges::find_if(state.threads, [&](const Thread& each) {
        return each.wait.holder == thread.id && each.wait.kind == WaitKind::kLock;
      });
      // It is normal that a thread waits for the end of another one that works or is idle: the
      // first thread of java does nothing else.
      const bool has_lock = waiter != state.threads.end();
      if (!has_lock && !is_blocked(thread)) continue;
      holders_.push_back(
          fmt::format("{} of {} cannot go on: {} {}; {} {}",
                      count == 1 ? "a thread" : fmt::format("{} threads", count),
                      label(state.process), count == 1 ? "it" : "one",
                      has_lock ? waiter->wait.text : "waits for the end of " + label(thread),
                      label(thread), doing(thread)));
    }
  }

  // Threads that wait for the lock of a file, with equal texts.
  struct FileLock {
    const ProcessState* state;  // of the first one
    const Thread* thread;       // the first one
    std::size_t others = 0;
  };

  void note_file_locks(const ProcessState& state) {
    for (const Thread& each : state.threads) {
      if (!is_file_lock(each)) continue;
      const auto same = std::ranges::find_if(file_locks_, [&](const FileLock& lock) {
        return lock.thread->wait.text == each.wait.text;
      });
      if (same == file_locks_.end())
        file_locks_.push_back({&state, &each});
      else
        ++same->others;
    }
  }

  void add(const FileLock& lock) {
    const std::string others =
        lock.others == 0 ? "" : fmt::format(", like {} other threads,", lock.others);
    files_.push_back(fmt::format("{}{} {}{}", label(lock.state->process), others,
                                 lock.thread->wait.text, in_place(*lock.thread)));
    for (const pid_t holder : lock.thread->wait.processes)
      if (const ProcessState* other = find(holder); other != nullptr && other != lock.state)
        if (const Thread* main = other->main_thread(); main != nullptr)
          files_.push_back(fmt::format("  {} {}", label(other->process), doing(*main)));
  }

  static bool is_file_lock(const Thread& thread) {
    return thread.wait.is_of_file && !thread.is_in_circle;
  }

  // True if the thread waits for a lock or for another process. False if it may just have nothing
  // to do.
  static bool is_blocked(const Thread& thread) {
    return thread.wait.kind == WaitKind::kLock || waits_for_process(thread);
  }

  static bool waits_for_process(const Thread& thread) {
    return thread.wait.kind == WaitKind::kPeer || thread.wait.kind == WaitKind::kChild;
  }

  const ProcessState* find(pid_t pid) const {
    const auto found = by_pid_.find(pid);
    return found == by_pid_.end() ? nullptr : found->second;
  }

  // Finds processes that wait for other processes. Shows only the first one and those at the end of
  // a chain of waits.
  void find_peers(const ProcessState& state) {
    for (const Thread& thread : state.threads) {
      if (!waits_for_process(thread) || thread.is_in_circle) continue;
      std::vector<std::string> peers;
      bool has_end = false;
      for (const pid_t pid : thread.wait.processes) {
        const ProcessState* other = find(pid);
        if (other == nullptr || pid == state.process.pid || other->process.state == 'Z') continue;
        const Thread* main = other->main_thread();
        if (main == nullptr && other->problem.empty()) continue;
        has_end = has_end || main == nullptr || !waits_for_process(*main);
        peers.push_back(fmt::format("  {} {}", label(other->process),
                                    main == nullptr ? other->problem : doing(*main)));
      }
      if (peers.empty() || (!has_end && !peers_.empty())) continue;
      peers_.push_back(
          fmt::format("{} {}{}. {}:", label(state.process), thread.wait.text, in_place(thread),
                      thread.wait.kind == WaitKind::kChild ? "Its child processes"
                                                           : "The other end is open in"));
      const std::size_t shown = std::min(peers.size(), kMaxPeers);
      peers_.insert(peers_.end(), peers.begin(),
                    peers.begin() + static_cast<std::ptrdiff_t>(shown));
      if (peers.size() > shown)
        peers_.push_back(fmt::format("  and {} more", peers.size() - shown));
    }
  }

  const std::vector<ProcessState>& processes_;
  std::map<pid_t, const ProcessState*> by_pid_;
  std::vector<pid_t> stopped_pids_;
  const ProcessState* first_stopped_ = nullptr;
  std::set<pid_t> in_circles_;
  std::vector<FileLock> file_locks_;
  // The lines of each kind.
  Lines stopped_, circles_, ranks_, deadlocks_, python_locks_, holders_, files_, peers_;
};

std::string key_of(const Thread& thread) {
  if (!thread.problem.empty()) return "problem " + thread.problem;
  std::string key;
  for (const ShownFrame& shown : shown_frames(thread)) {
    const Frame& each = *shown.frame;
    key += shown.count > 1 ? std::string("\n")
                           : fmt::format("{}\n{}\n{}\n", each.function, each.module,
                                         each.is_python ? each.line : 0);
  }
  return key;
}

}  // namespace

std::string number_list(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    const char* separator = text.empty() ? "" : ", ";
    text += last > i + 1 ? fmt::format("{}{}-{}", separator, numbers[i], numbers[last])
                         : fmt::format("{}{}", separator, numbers[i]);
    i = last > i + 1 ? last + 1 : i + 1;
  }
  return text;
}

std::vector<std::string> find_causes(const std::vector<ProcessState>& processes) {
  return Causes(processes).find();
}

std::vector<ThreadGroup> group_threads(const std::vector<ProcessState>& processes) {
  std::vector<ThreadGroup> groups;
  std::map<std::string, std::size_t> by_key;
  bool has_ranks = false;
  for (const ProcessState& process : processes) {
    has_ranks = has_ranks || process.process.rank >= 0;
    for (const Thread& thread : process.threads) {
      const auto [at, is_new] = by_key.try_emplace(key_of(thread), groups.size());
      if (is_new) groups.emplace_back();
      groups[at->second].members.push_back({&process, &thread});
    }
  }
  if (has_ranks)
    std::ranges::stable_sort(groups, [](const ThreadGroup& a, const ThreadGroup& b) {
      const auto is_rank = [](const ThreadGroup& group) {
        const auto& first = group.members.front();
        return first.process->process.rank >= 0 && first.thread == first.process->main_thread();
      };
      if (is_rank(a) != is_rank(b)) return is_rank(a);
      return is_rank(a) && a.members.size() < b.members.size();
    });
  return groups;
}

}  // namespace prof::live
