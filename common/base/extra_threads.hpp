// Threads that share work with the calling thread.
#pragma once

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace prof::base {

// Adds a thread. False if the system has none left (ulimit -u, pids.max, a sandbox): the work is
// done without it.
template <class Work>
bool add_thread(std::vector<std::jthread>& threads, Work work) try {
  threads.emplace_back(std::move(work));
  return true;
} catch (const std::system_error&) {
  return false;
}

}  // namespace prof::base
