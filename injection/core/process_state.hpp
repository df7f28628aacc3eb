// The data of this process about its session. The joining thread writes it before it publishes the
// live word; afterwards it is read-only. In a fork child one thread writes it again before it
// publishes the child's live word.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/wire/chunk.hpp"
#include "common/wire/handshake.hpp"
#include "injection/core/live.hpp"
#include "injection/core/machine/machine.hpp"

namespace prof::core {

inline constexpr std::size_t kMaxSessionPath = 96;  // leaves room for "/control" in sun_path
inline constexpr std::size_t kMaxSessionFile = 15;  // maximum length of a file name in it
inline constexpr std::size_t kMaxLibraryPath = 1024;

struct ProcessState {
  std::atomic<bool> loaded;       // load_once() has begun
  std::uintptr_t main_stack_end;  // end of main's stack, where its arguments lie
  wire::ArenaHeader* arena;       // null: this process never joined a session
  std::atomic<std::uint32_t> mapped[wire::kChunkSizes];  // chunks, by ChunkSize; only shrinks
  // The process whose fork children come next: this process, or the one that forked it. A fork
  // child finds its parent here. It writes to this page only before it forks itself
  // (prepare_to_fork()).
  Identity forker;
  // The path of the pipe that a fork child writes to. It is stored, not composed in each child,
  // because every page of constants or code costs the child a page fault of 2 to 4 us.
  char arrival_pipe[kMaxSessionPath + 1 + kMaxSessionFile];
  std::uint32_t user;  // geteuid() when it joined
  // wire::kFeature*. While threads may be foreign, bits of kForeignThreads are set, and
  // kFeatureOsrt and kFeatureThinning are not. Written atomically. Wrappers read it like any
  // variable, which costs them one instruction less.
  std::uint32_t features;
  bool use_tsc;
  bool clock_forbidden;         // the kernel would kill the process for reading a clock
  bool wipe_on_fork;            // the kernel supports MADV_WIPEONFORK
  bool libc_knows_tid;          // thread_id_of_libc() returns the thread's id
  bool has_rdfsbase;            // programs may execute the instruction rdfsbase
  bool loaded_late;             // this library was loaded while the program ran (prof attach)
  std::atomic<bool> sandboxed;  // seccomp is on: prof makes no more system calls
  // True if the program uses record locks (fcntl, lockf). Closing any descriptor of a file releases
  // them, so prof must not open a file that the program has open.
  std::atomic<bool> takes_record_locks;
  std::uint64_t osrt_threshold;  // 0 with kFeatureThinning: record_call() checks the duration
  std::uint64_t file_threshold;  // for calls with a descriptor; also 0 if files are followed
  std::uint64_t osrt_chain_threshold;
  // The collector's configuration, checked; the same for all processes of the session. `features`
  // and the thresholds above are copies for the wrappers, in the cache lines that they read anyway.
  wire::Reply config;
  char session[kMaxSessionPath];  // session directory
  char library[kMaxLibraryPath];  // path of this library, as LD_PRELOAD names it
};
extern ProcessState g_process;

inline std::atomic<std::uint32_t>& mapped_chunks(wire::ChunkSize size) {
  return g_process.mapped[static_cast<std::size_t>(size)];
}

// Returns the identity of this process. A fork child that has not joined yet has the identity of
// its parent.
inline const Identity& identity() {
  return g_live.self.serial != 0 ? g_live.self : g_process.forker;
}

inline wire::ProcessSlot& own_slot() {
  return g_process.arena->slots[identity().slot % wire::kProcessSlots];
}

inline bool has_feature(std::uint32_t feature) { return (g_process.features & feature) != 0; }

}  // namespace prof::core
