#include "collector/attach/attached_tree.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "collector/attach/injector.hpp"
#include "collector/attach/target.hpp"

namespace prof::attach {

namespace {

// The processes are listed more than once, because a process that is still attached may fork
// meanwhile, and then its child is attached, too. The kernel lists a child some time after it has
// copied the memory of its parent. On a busy machine that can be a while, so prof looks again after
// a pause.
constexpr int kRounds = 12;
constexpr int kQuietRounds = 2;
constexpr auto kQuietPause = std::chrono::milliseconds(5);
constexpr int kTriesEach = 2;  // attempts to detach from one process

}  // namespace

DetachedTree detach_tree(const std::vector<pid_t>& processes, const std::string& library) {
  DetachedTree tree;
  std::map<pid_t, int> tries;
  std::map<pid_t, std::string> failures;
  int quiet_rounds = 0;
  for (int round = 0; round < kRounds && quiet_rounds < kQuietRounds; ++round) {
    if (quiet_rounds > 0) std::this_thread::sleep_for(kQuietPause);
    ++quiet_rounds;
    for (const pid_t process : process_tree(processes)) {
      if (!is_attached_in_part(process) || tries[process]++ >= kTriesEach) continue;
      quiet_rounds = 0;
      const auto detached = detach(process, library);
      if (detached) tree.stopped_ns = std::max(tree.stopped_ns, detached->stopped_ns);
      failures[process] = detached ? "" : detached.error().message;
    }
  }
  for (const auto& [process, failure] : failures)
    if (!failure.empty() && is_attached_in_part(process))
      tree.failures.emplace_back(process, failure);
  return tree;
}

// A process that was forked just before a round is found in the next round.
void for_each_unattached(pid_t root, const std::function<void(pid_t)>& attach) {
  std::set<pid_t> tried;
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t before = tried.size();
    for (const pid_t process : process_tree({root}))
      if (tried.insert(process).second && (round == 0 || !is_attached(process))) attach(process);
    if (tried.size() == before) break;
  }
}

}  // namespace prof::attach
