#include "injection/core/session.hpp"

#include <sys/time.h>
#include <sys/un.h>

#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/core/diagnostics.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/ring_writer.hpp"
#include "injection/core/syscalls.hpp"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace prof::core {

LivePage g_live;
ProcessState g_process;

namespace {

// Longest the target may be held up by a collector that does not answer.
constexpr timeval kHandshakeTimeout{2, 0};

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
      sys::send(socket, &hello, sizeof hello) == sizeof hello &&
      receive_reply(socket, reply, descriptor);
  sys::close(socket);
  return ok && reply.status == wire::ReplyStatus::kTrace && reply.serial >= wire::kFirstSerial;
}

wire::ArenaHeader* map_arena(int descriptor, std::uint32_t large_chunks) {
  constexpr auto kSmall = static_cast<std::size_t>(wire::ChunkSize::kSmall);
  constexpr auto kLarge = static_cast<std::size_t>(wire::ChunkSize::kLarge);
  if (descriptor < 0 || large_chunks > wire::kMaxChunks[kLarge]) return nullptr;
  const std::size_t bytes = wire::arena_bytes(large_chunks);
  void* memory = sys::mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor);
  if (sys::failed(memory)) return nullptr;
  g_process.chunks[kSmall] = wire::kMaxChunks[kSmall];
  g_process.chunks[kLarge] = large_chunks;
  sys::madvise(memory, bytes, MADV_DONTDUMP);  // a core dump is the program's, not ours
  auto* arena = static_cast<wire::ArenaHeader*>(memory);
  if (arena->magic == wire::kArenaMagic && arena->version == wire::kWireVersion) return arena;
  sys::munmap(memory, bytes);
  return nullptr;
}

void adopt_reply(const wire::Reply& reply) {
  g_process.serial = reply.serial;
  g_process.slot = reply.slot % wire::kProcessSlots;
  g_process.pid = sys::getpid();
  g_process.features = reply.features;
  g_process.use_tsc = reply.clock == wire::ClockSource::kTsc;
  g_process.osrt_threshold = reply.osrt_threshold;
  g_process.osrt_chain_threshold = reply.osrt_chain_threshold;
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
  wire::Reply reply;
  int descriptor = -1;
  const bool welcome = shake_hands(wire::ProcessKind::kStart, reply, descriptor);
  wire::ArenaHeader* arena = welcome ? map_arena(descriptor, reply.large_chunks) : nullptr;
  if (descriptor >= 0) sys::close(descriptor);
  if (arena == nullptr) return;
  adopt_reply(reply);
  g_process.wipe_on_fork = sys::madvise(&g_live, sizeof g_live, MADV_WIPEONFORK) == 0;
  g_process.arena = arena;
  // Everything above happens before any thread that sees the serial records.
  g_live.word.store(reply.serial, std::memory_order_release);
  if (!g_process.wipe_on_fork) report(wire::DiagnosticCode::kWipeOnForkMissing, 0);
}

std::uint32_t join_after_fork() {
  std::uint32_t expected = kWiped;
  if (!g_live.word.compare_exchange_strong(expected, kConnecting, std::memory_order_acquire))
    return expected;
  wire::Reply reply;
  int descriptor = -1;
  if (g_process.sandboxed.load(std::memory_order_relaxed) ||
      !shake_hands(wire::ProcessKind::kFork, reply, descriptor)) {
    g_process.arena->failed_handshakes.fetch_add(1, std::memory_order_relaxed);
    g_live.word.store(kOff, std::memory_order_release);
    return kOff;
  }
  if (descriptor >= 0) sys::close(descriptor);
  adopt_reply(reply);
  g_live.word.store(reply.serial, std::memory_order_release);
  return reply.serial;
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
