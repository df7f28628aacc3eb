// The NVTX range that starts and stops recording (--capture-range=nvtx).
#pragma once

#include <cstdint>

#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/domains.hpp"

namespace prof::nvtx {

// Reads what the session wants; call when the process has joined it.
void prepare_trigger();
// A domain came into being.
void note_domain(std::uint32_t id, std::uint64_t name);

// A range with this text is about to be pushed or started.
bool is_trigger(Domain domain, std::uint64_t text);

// The trigger was pushed at `level` of this thread, or started as `id`; or such a range ended.
void pushed(Domain domain, int level);
void popped(Domain domain, int level);
void started(RangeId id);
void ended(RangeId id);

}  // namespace prof::nvtx
