// Scopes and clocks of the program (time domains). The collector converts their times.
#pragma once

#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/extension_abi.hpp"

namespace prof::nvtx {

std::uint64_t register_scope(Domain domain, const ScopeAttributes* attributes);
std::uint64_t register_time_domain(Domain domain, const TimeDomainAttributes* attributes);

// Called when the time domain is used. Records a reading of its clock and of the session's clock,
// if it is one of the system's clocks.
void note_time_domain(Domain domain, std::uint64_t id);

// The function of the program that reads the clock of a time domain. One of the two pointers is
// set.
struct TimerSource {
  std::int64_t (*read)();
  std::int64_t (*read_with_data)(void* data);
  void* data;
};
void register_timer(Domain domain, std::uint64_t id, const TimerSource& source);
// Reads the registered timers of the domain again, at most every 10 ms. Called before deferred
// events.
void read_timers(Domain domain);

void record_sync_points(Domain domain, std::uint64_t source, std::uint64_t target,
                        const SyncPoint* points, std::size_t count);
void record_slope(Domain domain, std::uint64_t source, std::uint64_t target, double slope,
                  const SyncPoint& point);

}  // namespace prof::nvtx
