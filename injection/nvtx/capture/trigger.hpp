// The NVTX range that starts and stops recording (--capture-range=nvtx). Pushes and pops are
// watched for it. In sessions that keep open ranges (open_ranges.hpp) they lead there, too.
#pragma once

#include <cstdint>

#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/domains.hpp"

namespace prof::nvtx {

// Reads the trigger from the session's options. Called when the process has joined the session.
void prepare_trigger();
// True if the trigger is counted while nobody collects, for prof start --at-step (counted.hpp).
bool counts_steps();
// Called when a domain was created.
void note_domain(std::uint32_t id, std::uint64_t name);

// Returns whether a range with this text, which is about to be pushed or started, is the trigger.
bool is_trigger(Domain domain, std::uint64_t text);

// The same for a range that is about to be pushed, which is kept if open ranges are.
bool is_pushed_trigger(Domain domain, std::uint64_t text);

// Called before the trigger is pushed or started: begins a capture range. Returns false if the
// range does not count, as it lies in another one with the same name.
bool enter_trigger();
// Called after enter_trigger() has returned true and the trigger was pushed at `level` of this
// thread or started as `id`.
void pushed(Domain domain, int level);
void started(RangeId id);
// Called when any range has ended.
void popped(Domain domain, int level);
void ended(RangeId id);
// popped() while nobody collects: open ranges are not kept then.
void popped_step(Domain domain, int level);

}  // namespace prof::nvtx
