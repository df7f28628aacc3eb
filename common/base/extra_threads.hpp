// Starts threads that share work with the calling thread.
#pragma once

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace prof::base {

// Adds a thread. Returns false if the system refuses another thread (ulimit -u, pids.max, a
// sandbox): then the calling thread does the work without it.
template <class Work>
bool add_thread(std::vector<std::jthread>& threads, Work work) try {
  threads.emplace_back(std::move(work));
  return true;
} catch (const std::system_error&) {
  return false;
}

}  // namespace prof::base
