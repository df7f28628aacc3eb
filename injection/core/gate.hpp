// Gates: the words that a wrapped function and an NVTX callback read before anything else. When the
// process joins a session, each gate is set to point to a word. In a session (prof launch, prof
// start) the word lies in the arena, so all processes of the session switch together.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/wire/chunk.hpp"
#include "injection/core/machine/machine.hpp"

namespace prof::core {

using Gate = std::atomic<const std::atomic<std::uint32_t>*>;

// The values of the words are those of wire::GateWord. Assembler compares them with kLeaves
// (core/machine).
static_assert(wire::kGoesOn < wire::kLeaves && wire::kLeaves == 1 && wire::kLeaves < wire::kCounts);

// The gates have C names, because wrappers begin in assembler.
extern "C" {
// The gate of wrapped functions. Its word is also 1 if OS-runtime calls are not traced at all.
extern Gate prof_call_gate __attribute__((visibility("hidden")));
// The gate of functions that wait for a condition variable or wake its waiters. With -t python-gil
// it stays open while nobody collects, because prof follows a Python interpreter's lock through
// these functions.
extern Gate prof_condition_gate __attribute__((visibility("hidden")));
// The gate of NVTX and of all code that tests is_dormant().
extern Gate prof_range_gate __attribute__((visibility("hidden")));
}

// Points the gates to the words for this process's session. Call it again when the features of the
// process have changed.
void set_gates();

}  // namespace prof::core
