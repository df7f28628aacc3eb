// Attaches to a process and its children, and lets them go: they fork meanwhile, and a child of a
// process that is attached is attached, too.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace prof::attach {

struct DetachedTree {
  std::uint64_t stopped_ns = 0;  // for how long a thread was stopped at most
  // Processes that still have prof's functions, which do nothing any more, and why.
  std::vector<std::pair<pid_t, std::string>> failures;
};

// Takes back what prof has changed in these processes and their children, with the injection
// library of that path.
DetachedTree detach_tree(const std::vector<pid_t>& processes, const std::string& library);

// Calls `attach` for the process and for each of its children that is not attached yet, parents
// first, until there is no other one.
void for_each_unattached(pid_t root, const std::function<void(pid_t)>& attach);

}  // namespace prof::attach
