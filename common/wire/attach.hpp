// The memory through which prof and the library in a process that prof attaches to communicate. The
// library exports one object and one function by these names; prof starts a thread that runs the
// function.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::wire {

inline constexpr char kAttachFunction[] = "prof_attach";  // void* (const char* session)
inline constexpr char kAttachBlockName[] = "prof_attach_block";

enum class AttachState : std::uint32_t {
  kNever = 0,  // the library was not loaded by prof attach, or is not ready yet
  kAttached = 1,
  kDetached = 2,
  kRefused = 3,  // the session could not be joined; nothing was changed
  // Some functions may already lead to prof. A child that is forked in this state stays in it.
  kAttaching = 4,
};

// A wait that prof has interrupted and restarted with its remaining time. prof writes this record:
// if it interrupts the wait again, the time counts from the first begin of the wait.
struct RestartedWait {
  std::int32_t thread;  // 0: none
  std::uint32_t reserved;
  std::uint64_t waits;  // how many waits the thread had begun when this one was restarted
  std::uint64_t begin;  // CLOCK_MONOTONIC_RAW, ns
};
inline constexpr std::size_t kRestartedWaits = 16;

// The shared memory. The library writes all fields but `session` and `restarted`.
struct AttachBlock {
  std::uint32_t version;                // kWireVersion
  std::atomic<std::uint32_t> state;     // AttachState
  std::atomic<std::uint32_t> finished;  // how often the function has run; released last
  std::uint32_t loaded;                 // 1: the constructors have run
  std::uint64_t patched;                // function pointers that now lead to wrappers
  std::uint64_t left_out;               // objects that were being loaded; they are patched later
  std::uint64_t nvtx_tables;            // function tables of NVTX that now lead to prof
  char session[128];                    // argument of the next run. Empty: detach
  RestartedWait restarted[kRestartedWaits];  // one for each thread
};
static_assert(sizeof(AttachBlock) == 552 && offsetof(AttachBlock, restarted) == 168);

}  // namespace prof::wire
