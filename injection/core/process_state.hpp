// What this process knows of its session. Written by the joining thread before the live word is
// published, read-only afterwards (a fork child writes it again, alone, before it publishes).
#pragma once

#include <atomic>
#include <cstdint>

#include "injection/wire/chunk.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::core {

inline constexpr std::size_t kMaxSessionPath = 96;  // leaves room for "/control" in sun_path
inline constexpr std::size_t kMaxLibraryPath = 1024;

struct ProcessState {
  std::atomic<bool> loaded;       // our constructor has been at work
  std::uintptr_t main_stack_end;  // where the first thread's stack holds the program's arguments
  wire::ArenaHeader* arena;       // null: this process was never joined to a session
  std::atomic<std::uint32_t> mapped[wire::kChunkSizes];  // chunks, by ChunkSize; only shrinks
  std::uint32_t serial;
  std::uint32_t slot;
  std::int32_t pid;        // getpid() when it joined; differs inside a vfork child
  std::uint32_t user;      // geteuid() then
  std::uint32_t features;  // wire::kFeature*
  bool use_tsc;
  bool clock_forbidden;         // the kernel would kill us for reading one
  bool wipe_on_fork;            // the kernel keeps the live page's promise
  bool libc_knows_tid;          // thread_id_of_libc() is the thread's number
  std::atomic<bool> sandboxed;  // seccomp is on: no system calls of ours any more
  // This program has asked for record locks (fcntl, lockf): on a file that it has open we must
  // never close a descriptor of our own, as that ends them.
  std::atomic<bool> takes_record_locks;
  std::uint64_t osrt_threshold;
  std::uint64_t file_threshold;  // of calls with a descriptor: 0 if file accesses are followed
  std::uint64_t osrt_chain_threshold;
  // What the collector asked for, checked; the same for all processes of the session. `features`
  // and the thresholds above are copies for the wrappers, which find them in the cache lines that
  // they read anyway.
  wire::Reply config;
  char session[kMaxSessionPath];  // session directory
  char library[kMaxLibraryPath];  // path of this library, as LD_PRELOAD names it
};
extern ProcessState g_process;

inline std::atomic<std::uint32_t>& mapped_chunks(wire::ChunkSize size) {
  return g_process.mapped[static_cast<std::size_t>(size)];
}

inline bool has_feature(std::uint32_t feature) { return (g_process.features & feature) != 0; }

}  // namespace prof::core
