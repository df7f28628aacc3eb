// Finds the threads that hold the locks for which others wait.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

// The probable holders. The report does not say who holds a lock. But a thread that waits itself
// does not let others wait, so the holder is a thread of the same process that runs, sleeps, or
// uses files during the wait. A thread that waits for a transfer is one only if no such thread
// explains the wait; a thread in poll() or accept() never is.
struct LockHolders {
  std::map<std::uint32_t, double> threads;  // ns of the waits in which the thread may be the holder
  std::map<std::string, double> places;     // the same times by what that thread did and where
  double waited = 0;                        // ns, sum of the waits
  double explained = 0;                     // ns of `waited` in which some thread may be the holder
  double ambiguous = 0;                     // ns of `waited` in which several threads may be

  // True if at most times exactly one thread can be the holder.
  bool is_certain() const { return 10 * ambiguous <= waited && 10 * explained >= 8 * waited; }
};

// Looks at the periods of lock waits that `fits` accepts. If there are many, only the longest are
// used.
LockHolders find_lock_holders(CpuFacts& facts, const std::function<bool(const Period&)>& fits);

}  // namespace prof::analyze
