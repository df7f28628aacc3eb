// Gates: the words that a wrapped function and an NVTX callback look at before anything else. Which
// word a gate leads to is decided when the process joins a session. While prof launch waits for
// prof start, it lies in the arena, so all processes of the session switch together.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/wire/chunk.hpp"
#include "injection/core/machine/machine.hpp"

namespace prof::core {

using Gate = std::atomic<const std::atomic<std::uint32_t>*>;

// The words are of wire::GateWord. Assembler compares with kLeaves (core/machine).
static_assert(wire::kGoesOn < wire::kLeaves && wire::kLeaves == 1 && wire::kLeaves < wire::kCounts);

// The addresses have C names, for wrappers begin in assembler.
extern "C" {
// Of wrapped functions: 1 also if OS-runtime calls are not traced at all.
extern Gate prof_call_gate __attribute__((visibility("hidden")));
// Of those that wait for a condition variable or wake waiters: a Python interpreter's lock is
// followed through them while nobody collects, too.
extern Gate prof_condition_gate __attribute__((visibility("hidden")));
// Of NVTX, and of all that tests is_dormant().
extern Gate prof_range_gate __attribute__((visibility("hidden")));
}

// Makes the gates lead where this process's session wants it. To be called again when its
// features have changed.
void set_gates();

}  // namespace prof::core
