#include "injection/core/session.hpp"

#include <sys/time.h>
#include <sys/un.h>

#include <cstring>

#include "injection/core/arena_map.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/diagnostics.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/ring_writer.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/thread_id.hpp"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace prof::core {

LivePage g_live;
// Not by a constructor: ours, which fills it in, may run before.
constinit ProcessState g_process{};

namespace {

// Longest the target may be held up by a collector that does not answer.
constexpr timeval kHandshakeTimeout{2, 0};
// Longest a thread of a fork child is held up while another introduces the process: 200 ms.
constexpr long kJoinWait = 50'000;
constexpr int kJoinWaits = 4000;

// Not on the stack: a fork child may join from a signal handler on a small stack. Written by the
// one thread that joins.
wire::Reply g_reply;

bool build_path(char* out, std::size_t capacity, const char* directory, const char* name) {
  const std::size_t length = std::strlen(directory);
  const std::size_t name_length = std::strlen(name);
  if (length + 1 + name_length + 1 > capacity) return false;
  std::memcpy(out, directory, length);
  out[length] = '/';
  std::memcpy(out + length + 1, name, name_length + 1);
  return true;
}

// Receives the reply and, if one came along, a descriptor (else -1).
bool receive_reply(int socket, wire::Reply& reply, int& descriptor) {
  iovec data{&reply, sizeof reply};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  long received;
  do {
    received = sys::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (received == -EINTR);
  descriptor = -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (received > 0 && header != nullptr && header->cmsg_level == SOL_SOCKET &&
      header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return received == sizeof reply && reply.magic == wire::kHandshakeMagic &&
         reply.version == wire::kWireVersion;
}

// PROF_SESSION comes from the environment and can name anybody's directory. Root may profile
// programs of all users; nobody else may take part in the life of ours.
bool is_trusted(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return sys::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         (peer.uid == 0 || peer.uid == sys::geteuid());
}

bool shake_hands(wire::ProcessKind kind, wire::Reply& reply, int& descriptor) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!build_path(address.sun_path, sizeof address.sun_path, g_process.session,
                  wire::kControlSocketName))
    return false;
  const int socket = sys::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC);
  if (socket < 0) return false;
  sys::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kHandshakeTimeout, sizeof kHandshakeTimeout);
  sys::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kHandshakeTimeout, sizeof kHandshakeTimeout);
  const wire::Hello hello{.magic = wire::kHandshakeMagic,
                          .version = wire::kWireVersion,
                          .kind = kind,
                          .pid = sys::getpid(),
                          .ppid = sys::getppid(),
                          .parent_serial = g_process.serial,
                          .reserved = 0,
                          .time = __rdtsc()};
  descriptor = -1;
  const bool ok =
      sys::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      is_trusted(socket) && sys::send(socket, &hello, sizeof hello) == sizeof hello &&
      receive_reply(socket, reply, descriptor);
  sys::close(socket);
  return ok && reply.status == wire::ReplyStatus::kTrace && reply.serial >= wire::kFirstSerial;
}

// For another thread's handshake. It holds nothing of ours, so it ends whatever we do.
std::uint32_t wait_until_joined() {
  for (int i = 0; i < kJoinWaits && live_word() == kConnecting; ++i) sys::sleep_ns(kJoinWait);
  return g_live.word.load(std::memory_order_acquire);
}

void adopt_reply(const wire::Reply& reply) {
  g_process.serial = reply.serial;
  g_process.slot = reply.slot % wire::kProcessSlots;
  g_process.pid = sys::getpid();
  g_process.user = sys::geteuid();
  g_process.features = reply.features;
  g_process.use_tsc = reply.clock == wire::ClockSource::kTsc;
  g_process.osrt_threshold = reply.osrt_threshold;
  g_process.file_threshold =
      (reply.features & wire::kFeatureFileAccess) != 0 ? 0 : reply.osrt_threshold;
  g_process.osrt_chain_threshold = reply.osrt_chain_threshold;
  g_process.osrt_stack_bytes = reply.osrt_stack_bytes;
  g_process.sample_period = reply.sample_period;
  g_process.sample_stack_bytes = reply.sample_stack_bytes;
  g_process.nvtx_filter = reply.nvtx_filter;
  g_process.nvtx_domain_bytes =
      reply.nvtx_domain_bytes <= sizeof reply.nvtx_domains ? reply.nvtx_domain_bytes : 0;
  std::memcpy(g_process.nvtx_domains, reply.nvtx_domains, sizeof reply.nvtx_domains);
  g_process.cuda = reply.cuda;
  g_process.capture = reply.capture;
  g_process.capture.nvtx_range[sizeof reply.capture.nvtx_range - 1] = '\0';
  g_process.capture.nvtx_domain[sizeof reply.capture.nvtx_domain - 1] = '\0';
  g_process.cuda.cupti[sizeof reply.cuda.cupti - 1] = '\0';
}

}  // namespace

void join_session(const char* directory, const char* library) {
  const std::size_t length = std::strlen(directory);
  if (length >= sizeof g_process.session) return;
  std::memcpy(g_process.session, directory, length + 1);
  std::strncpy(g_process.library, library, sizeof g_process.library - 1);
  int descriptor = -1;
  const bool welcome = shake_hands(wire::ProcessKind::kStart, g_reply, descriptor);
  wire::ArenaHeader* arena = welcome ? map_arena(descriptor, g_reply) : nullptr;
  if (descriptor >= 0) sys::close(descriptor);
  if (arena == nullptr) {
    g_process.serial = g_reply.serial;
    if (welcome) announce(wire::AnnouncementKind::kNoRoom, 0);
    return;
  }
  adopt_reply(g_reply);
  g_process.wipe_on_fork = sys::madvise(&g_live, sizeof g_live, MADV_WIPEONFORK) == 0;
  g_process.libc_knows_tid = thread_id_of_libc() == sys::gettid();
  g_process.arena = arena;
  // Everything above happens before any thread that sees the serial records.
  g_live.word.store(g_reply.serial, std::memory_order_release);
  if (!g_process.wipe_on_fork) report(wire::DiagnosticCode::kWipeOnForkMissing, 0);
}

std::uint32_t join_after_fork() {
  std::uint32_t expected = kWiped;
  if (!g_live.word.compare_exchange_strong(expected, kConnecting, std::memory_order_acquire))
    return expected == kConnecting ? wait_until_joined() : expected;
  if (!has_feature(wire::kFeatureForks) ||
      g_process.arena->closed.load(std::memory_order_relaxed) != 0) {
    const std::uint32_t word = has_feature(wire::kFeatureForks) ? kOff : kUntilExec;
    g_live.word.store(word, std::memory_order_release);
    return word;
  }
  int descriptor = -1;
  if (g_process.sandboxed.load(std::memory_order_relaxed) ||
      !shake_hands(wire::ProcessKind::kFork, g_reply, descriptor)) {
    g_process.arena->failed_handshakes.fetch_add(1, std::memory_order_relaxed);
    g_live.word.store(kOff, std::memory_order_release);
    return kOff;
  }
  if (descriptor >= 0) sys::close(descriptor);
  adopt_reply(g_reply);
  g_live.word.store(g_reply.serial, std::memory_order_release);
  return g_reply.serial;
}

void introduce_fork_child() {
  if (g_process.arena != nullptr && live_word() == kWiped) adopt_thread();
}

bool can_reach_session() {
  if (g_process.sandboxed.load(std::memory_order_relaxed)) return true;  // not to be found out
  const std::uint32_t user = sys::geteuid();
  if (user == g_process.user) return true;
  // Whose directory is it, as seen from here? Trying to enter it would tell what our capabilities
  // allow, which a user other than root loses at exec.
  struct stat info {};
  return sys::stat(g_process.session, &info) == 0 && (user == 0 || info.st_uid == user);
}

void forget_parent() {
  if (!g_process.wipe_on_fork && g_process.arena != nullptr && live_word() != kOff)
    g_live.word.store(kWiped, std::memory_order_relaxed);
}

void announce(wire::AnnouncementKind kind, std::uint32_t chunk) {
  char path[kMaxSessionPath + 16];
  if (g_process.sandboxed.load(std::memory_order_relaxed) ||
      !build_path(path, sizeof path, g_process.session, wire::kEventPipeName))
    return;
  // O_RDWR: while we hold it there is a reader, so writing can never raise SIGPIPE in the target.
  const int pipe = sys::open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (pipe < 0) return;
  const wire::Announcement announcement{.magic = wire::kHandshakeMagic,
                                        .version = wire::kWireVersion,
                                        .kind = kind,
                                        .serial = g_process.serial,
                                        .chunk = chunk};
  sys::write(pipe, &announcement, sizeof announcement);
  sys::close(pipe);
}

}  // namespace prof::core
