// Who holds the locks that threads wait for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

// The report does not say who holds a lock. But a thread that waits itself does not let others
// wait: the holder is a thread of the same process that runs, sleeps, or uses files meanwhile.
struct LockHolders {
  std::map<std::uint32_t, double> threads;  // ns of the waits in which the thread may be the holder
  std::map<std::string, double> places;     // the same by what that thread did and where
  double waited = 0;                        // ns of the waits that were looked at
  double explained = 0;                     // the part of it in which some thread may be the holder
  double ambiguous = 0;                     // the part of it in which several may be

  // At most times there was exactly one thread that can be the holder.
  bool is_certain() const { return 10 * ambiguous <= waited && 10 * explained >= 8 * waited; }
};

// Looks at the periods of lock waits that `fits` accepts, the longest ones if there are many.
LockHolders find_lock_holders(CpuFacts& facts, const std::function<bool(const Period&)>& fits);

}  // namespace prof::analyze
