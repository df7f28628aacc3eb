#include "injection/core/join/session.hpp"

#include <cstring>

#include "injection/core/join/arena_map.hpp"
#include "injection/core/join/introduction.hpp"
#include "injection/core/join/session_files.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/thread_id.hpp"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace prof::core {

namespace {

// The time that a thread of a fork child waits while another thread introduces the process: 200 ms.
constexpr long kJoinWait = 50'000;
constexpr int kJoinWaits = 4000;

// Waits for the thread that introduces the process. That thread needs nothing that this thread
// holds.
std::uint32_t wait_until_joined() {
  for (int i = 0; i < kJoinWaits && live_word() == kConnecting; ++i) sys::sleep_ns(kJoinWait);
  return g_live.word.load(std::memory_order_acquire);
}

}  // namespace

void join_session(const char* directory, const char* library) {
  const std::size_t length = std::strlen(directory);
  if (length >= sizeof g_process.session) return;
  std::memcpy(g_process.session, directory, length + 1);
  std::memcpy(g_process.arrival_pipe, SessionPath(wire::kArrivalPipeName).text,
              sizeof g_process.arrival_pipe);
  std::strncpy(g_process.library, library, sizeof g_process.library - 1);
  wire::ArenaHeader* arena = join_with_standing_reply();
  if (arena == nullptr) arena = join_with_request();
  if (arena == nullptr) return;
  g_process.wipe_on_fork = sys::madvise(&g_live, sizeof g_live, MADV_WIPEONFORK) == 0;
  g_process.user = sys::geteuid();
  g_process.libc_knows_tid = thread_id_of_libc() == sys::gettid();
  g_process.arena = arena;
  // Release: a thread that sees the serial also sees the stores before this one.
  g_process.forker = g_live.self;
  g_live.word.store(g_live.self.serial, std::memory_order_release);
}

void leave_session() {
  if (g_process.arena == nullptr) return;
  g_live.word.store(kOff, std::memory_order_release);
  forget_session();
  leave_arena(g_process.arena);
}

void leave_session_of_parent() {
  g_live.word.store(kOff, std::memory_order_release);
  forget_session();
  leave_arena_of_parent();
}

std::uint32_t join_after_fork() {
  std::uint32_t expected = kWiped;
  if (!g_live.word.compare_exchange_strong(expected, kConnecting, std::memory_order_acquire))
    return expected == kConnecting ? wait_until_joined() : expected;
  std::uint32_t word = kOff;
  // This changes nothing. But a first access that writes maps one page of the arena; an access that
  // reads maps sixteen, of which the child needs one or two.
  g_process.arena->failed_handshakes.fetch_add(0, std::memory_order_relaxed);
  if (!has_feature(wire::kFeatureForks)) {
    word = kUntilExec;
  } else if (g_process.arena->closed.load(std::memory_order_relaxed) == 0) {
    const Answer answer = g_process.sandboxed.load(std::memory_order_relaxed)
                              ? Answer::kNone
                              : introduce_after_fork();
    if (answer == Answer::kWelcome) word = g_live.self.serial;
    if (answer == Answer::kNone)
      g_process.arena->failed_handshakes.fetch_add(1, std::memory_order_relaxed);
  }
  // The process may have left the session meanwhile (prof attach).
  expected = kConnecting;
  return g_live.word.compare_exchange_strong(expected, word, std::memory_order_release) ? word
                                                                                        : expected;
}

bool is_session_over() {
  if (g_process.arena == nullptr || live_word() == kOff ||
      g_process.arena->closed.load(std::memory_order_relaxed) != 0)
    return true;
  constexpr int kNoSuchFile = -2;  // ENOENT
  struct stat info {};
  return sys::stat(g_process.session, &info) == kNoSuchFile;
}

bool can_reach_session() {
  if (g_process.sandboxed.load(std::memory_order_relaxed))
    return true;  // a sandbox forbids the check
  const std::uint32_t user = sys::geteuid();
  if (user == g_process.user) return true;
  // Compares owners. An attempt to enter the directory would use our capabilities, which a user
  // other than root loses at exec.
  struct stat info {};
  return sys::stat(g_process.session, &info) == 0 && (user == 0 || info.st_uid == user);
}

void prepare_to_fork() {
  if (g_live.self.serial != 0 && g_process.forker.serial != g_live.self.serial)
    g_process.forker = g_live.self;
}

namespace {

// True if a handler of the fork has already made this child join.
bool has_joined() {
  return !g_process.sandboxed.load(std::memory_order_relaxed) && g_live.self.pid == sys::getpid();
}

}  // namespace

bool forget_parent() {
  if (g_process.arena == nullptr) return true;
  std::uint32_t word = kWiped;
  // This changes nothing. But now the first access to the page is a write, so the child pays for
  // one page fault, not for two (a read and a write).
  if (g_process.wipe_on_fork &&
      g_live.word.compare_exchange_strong(word, kWiped, std::memory_order_relaxed))
    return true;
  if (live_word() == kOff || has_joined()) return true;
  const bool was_believed = g_process.wipe_on_fork;
  if (was_believed) g_process.wipe_on_fork = false;
  g_live.early_calls = 0;
  g_live.self = {};
  g_live.word.store(kWiped, std::memory_order_relaxed);
  return !was_believed;
}

void announce(wire::AnnouncementKind kind, std::uint32_t chunk) {
  if (g_process.sandboxed.load(std::memory_order_relaxed)) return;
  const wire::Announcement announcement{.magic = wire::kHandshakeMagic,
                                        .version = wire::kWireVersion,
                                        .kind = kind,
                                        .serial = g_live.self.serial,
                                        .chunk = chunk};
  write_to_pipe(SessionPath(wire::kEventPipeName).text, &announcement, sizeof announcement);
}

}  // namespace prof::core
