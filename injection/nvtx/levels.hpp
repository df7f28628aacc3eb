// The levels of pushed ranges, by thread and domain, and the ids of started ones.
#pragma once

#include <atomic>
#include <cstdint>

#include "injection/core/thread_state.hpp"
#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/domains.hpp"

namespace prof::nvtx {

// Returns the level of a range that is pushed. The thread must not be foreign.
inline int enter_level(Domain domain) {
  if (domain.id >= core::kTrackedDomains) return kNoPushPopTracking;
  return core::t_state.push_depth[domain.id]++;
}

// Returns the level of the range that is popped. NVTX: negative when nothing was pushed.
inline int leave_level(Domain domain) {
  if (domain.id >= core::kTrackedDomains) return kNoPushPopTracking;
  std::uint16_t& depth = core::t_state.push_depth[domain.id];
  return depth > 0 ? --depth : -1;
}

// Returns an id that no other started range of the process has.
inline RangeId new_range_id() {
  static constinit std::atomic<RangeId> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace prof::nvtx
