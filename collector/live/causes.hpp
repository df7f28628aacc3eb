// Who waits for whom, over threads and processes: why nothing goes on.
#pragma once

#include <string>
#include <vector>

#include "collector/live/snapshot.hpp"

namespace prof::live {

// Lines for the user, the most important first. Few: the first ten lines of the output have to say
// why a program hangs.
std::vector<std::string> find_causes(const std::vector<ProcessState>& processes);

// Threads with equal call chains, over all processes.
struct ThreadGroup {
  struct Member {
    const ProcessState* process;
    const Thread* thread;
  };
  std::vector<Member> members;
};
// Threads of ranks of which the fewest do the same come first, then in the order of the processes.
std::vector<ThreadGroup> group_threads(const std::vector<ProcessState>& processes);

// "1-3, 5"
std::string number_list(std::vector<int> numbers);

}  // namespace prof::live
