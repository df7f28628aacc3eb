// The live word. Every recording path compares it with its thread's copy.
//
// It holds the serial of this process image in the session. Its page is MADV_WIPEONFORK: in a child
// of fork, clone or clone3 the kernel sets the word to kWiped before the child's first instruction
// runs. The comparison then fails, and the slow path introduces the child to the collector. This
// costs one load; getpid() would cost about 150 ns.
#pragma once

#include <atomic>
#include <cstdint>

#include "injection/core/machine/machine.hpp"

namespace prof::core {

enum LiveState : std::uint32_t {
  kWiped = 0,       // a fork child that has not joined yet, or a process without an arena
  kConnecting = 1,  // one thread of a fork child is joining
  kOff = 2,         // not traced; this is final
  kUntilExec = 3,   // a fork child that is not traced before it execs
  // Values from wire::kFirstSerial on: joined, recording.
};

// The largest page of kernels for this processor.
inline constexpr std::size_t kLivePageBytes = machine::kMaxPageBytes;

// A short call that a fork child made before it joined (record/short_calls.hpp).
struct EarlyCall {
  std::uint32_t function, own_slot;
  const char* name;
  std::uint64_t start, end;
};
inline constexpr std::uint32_t kMaxEarlyCalls = 64;

// Identifies a process image.
struct Identity {
  std::uint32_t serial;  // in the session; 0: none yet
  std::uint32_t slot;    // its ProcessSlot
  std::int32_t pid;      // getpid() when it joined; differs inside a vfork child
};

// The page of the live word. It must be zero-initialised, to lie in .bss: MADV_WIPEONFORK works on
// anonymous memory only.
struct alignas(kLivePageBytes) LivePage {
  std::atomic<std::uint32_t> word;
  // The other fields are here because a fork child writes to this page anyway.
  std::uint32_t early_calls;
  Identity self;  // of this process, once it has joined
  EarlyCall early[kMaxEarlyCalls];
};
static_assert(sizeof(LivePage) == kLivePageBytes);
extern LivePage g_live;

inline std::uint32_t live_word() { return g_live.word.load(std::memory_order_relaxed); }

}  // namespace prof::core
