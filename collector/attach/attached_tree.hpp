// Attaches to a process tree and detaches from it. Processes fork meanwhile, and the child of an
// attached process is attached, too.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace prof::attach {

struct DetachedTree {
  std::uint64_t stopped_ns = 0;  // longest stop of a thread
  // Processes that prof could not detach from, with the reason. Their calls still go through prof's
  // functions, which only pass them on.
  std::vector<std::pair<pid_t, std::string>> failures;
};

// Detaches from these processes and their children. `library` is the path of the injection library.
DetachedTree detach_tree(const std::vector<pid_t>& processes, const std::string& library);

// Calls `attach` for the process and for each of its children that is not attached yet, parents
// first, until no such process is left.
void for_each_unattached(pid_t root, const std::function<void(pid_t)>& attach);

}  // namespace prof::attach
