// The word every recording path compares with its thread's copy.
//
// It holds the serial of this process image in the session. Its page is MADV_WIPEONFORK, so in a
// child of fork, clone or clone3 (however it was made) the kernel has set it to kWiped before the
// first instruction runs: the comparison fails and the slow path introduces the child to the
// collector. Costs one load against ~150 ns for asking getpid() (pitfall 4.6).
#pragma once

#include <atomic>
#include <cstdint>

namespace prof::core {

enum LiveState : std::uint32_t {
  kWiped = 0,       // a fork child that has not joined yet; or, without an arena, never started
  kConnecting = 1,  // one thread of a fork child is joining
  kOff = 2,         // not traced; stays so
  kUntilExec = 3,   // a fork child that is not to be traced before it execs
  // wire::kFirstSerial and above: joined, recording
};

inline constexpr std::size_t kLivePageBytes = 4096;

// Must be zero-initialised: MADV_WIPEONFORK works on anonymous memory only, so it has to be .bss.
struct alignas(kLivePageBytes) LivePage {
  std::atomic<std::uint32_t> word;
};
extern LivePage g_live;

inline std::uint32_t live_word() { return g_live.word.load(std::memory_order_relaxed); }

}  // namespace prof::core
