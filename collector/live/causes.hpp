// Finds the causes of a hang: which thread waits for which, over all threads and processes.
#pragma once

#include <string>
#include <vector>

#include "collector/live/snapshot.hpp"

namespace prof::live {

// Returns lines for the user, the most important first. They are few: the first ten lines of the
// output have to say why a program hangs.
std::vector<std::string> find_causes(const std::vector<ProcessState>& processes);

// Threads whose shown frames are equal, over all processes.
struct ThreadGroup {
  struct Member {
    const ProcessState* process;
    const Thread* thread;
  };
  std::vector<Member> members;
};
// Groups the threads. In a job, groups of the fewest ranks come first; then the order is that of
// the processes.
std::vector<ThreadGroup> group_threads(const std::vector<ProcessState>& processes);

// Returns a text such as "1-3, 5".
std::string number_list(std::vector<int> numbers);

}  // namespace prof::live
