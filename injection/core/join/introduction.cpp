#include "injection/core/join/introduction.hpp"

#include <sys/auxv.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/core/foreign_threads.hpp"
#include "injection/core/join/arena_map.hpp"
#include "injection/core/join/session.hpp"
#include "injection/core/join/session_files.hpp"
#include "injection/core/number.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

namespace {

// The time that the program waits for a collector that does not answer.
constexpr timeval kHandshakeTimeout{2, 0};

// This is not on the stack: a fork child may join in a signal handler, which can have a small
// stack. Only the thread that joins writes it. `reply` also holds the answer to a request.
wire::StandingReply g_standing;
std::uint32_t g_last_serial;  // the serial in a session that the process has left
bool g_has_one_pid;  // the process has the same id here and in the collector's pid namespace

// PROF_SESSION comes from the environment and can name any directory. A session is accepted only
// from the same user, or from root, who may profile programs of all users.
bool is_trusted(uid_t user) { return user == 0 || user == sys::geteuid(); }

bool is_trusted_peer(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return sys::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         is_trusted(peer.uid);
}

bool connect_to(int socket, const SessionPath& path) {
  sockaddr_un address{};
  static_assert(sizeof path.text >= sizeof address.sun_path);
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.text, sizeof address.sun_path);
  return sys::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

wire::Hello hello_of(wire::ProcessKind kind) {
  wire::Hello hello{};
  hello.magic = wire::kHandshakeMagic;
  hello.version = wire::kWireVersion;
  hello.kind = kind;
  hello.pid = sys::getpid();
  hello.ppid = sys::getppid();
  if (kind == wire::ProcessKind::kFork) hello.parent_serial = g_process.forker.serial;
  return hello;
}

void take_identity(std::uint32_t serial, std::uint32_t slot, int pid) {
  g_live.self = {.serial = serial, .slot = slot % wire::kProcessSlots, .pid = pid};
}

// Corrects values with which prof would read beyond a field.
void check(wire::Reply& config) {
  if (config.nvtx_domain_bytes > sizeof config.nvtx_domains) config.nvtx_domain_bytes = 0;
  if (config.capture.num_windows > wire::kMaxStepWindows) config.capture.num_windows = 0;
  config.capture.nvtx_range[sizeof config.capture.nvtx_range - 1] = '\0';
  config.capture.nvtx_domain[sizeof config.capture.nvtx_domain - 1] = '\0';
  config.cuda.cupti[sizeof config.cuda.cupti - 1] = '\0';
}

void adopt(const wire::Reply& reply) {
  take_identity(reply.serial, reply.slot, sys::getpid());
  g_process.config = reply;
  check(g_process.config);
  set_features(reply.features);
  g_process.use_tsc = reply.clock == wire::ClockSource::kTsc;
  const bool thins = (reply.features & wire::kFeatureThinning) != 0;
  g_process.osrt_threshold = thins ? 0 : reply.osrt_threshold;
  g_process.file_threshold = has_feature(wire::kFeatureFileAccess) ? 0 : g_process.osrt_threshold;
  g_process.osrt_chain_threshold = reply.osrt_chain_threshold;
}

// Undoes adopt(), because the process does not join after all: its wrappers only forward calls.
void abandon() {
  set_features(0);
  g_process.config = {};
  g_live.self = {};
}

// --- With the standing reply.

bool read_standing_reply() {
  const int file =
      sys::open(SessionPath(wire::kStandingReplyName).text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status {};
  const bool complete = sys::stat_at(file, "", &status, AT_EMPTY_PATH) == 0 &&
                        is_trusted(status.st_uid) &&
                        sys::pread(file, &g_standing, sizeof g_standing, 0) == sizeof g_standing;
  sys::close(file);
  g_standing.arena[sizeof g_standing.arena - 1] = '\0';
  return complete && g_standing.reply.magic == wire::kHandshakeMagic &&
         g_standing.reply.version == wire::kWireVersion;
}

// Returns the size of the arena, or 0 if `descriptor` is another file: in another pid namespace the
// path names a descriptor of another process.
std::size_t bytes_of_arena(int descriptor) {
  struct stat status {};
  const bool is_it = sys::stat_at(descriptor, "", &status, AT_EMPTY_PATH) == 0 &&
                     status.st_dev == g_standing.arena_device &&
                     status.st_ino == g_standing.arena_inode;
  return is_it ? static_cast<std::size_t>(status.st_size) : 0;
}

wire::ArenaHeader* map_arena_by_path() {
  const int descriptor = sys::open(g_standing.arena, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return nullptr;
  // The seals are not checked: the device and inode show that the collector made the file.
  wire::ArenaHeader* arena = map_arena(descriptor, bytes_of_arena(descriptor), g_standing.reply);
  sys::close(descriptor);
  return arena;
}

// True if the buffer is filling faster than the collector drains it. Then a new process has to wait
// for the collector's answer. Otherwise many processes that start at once would fill the buffer
// before the collector runs.
bool is_filling(const wire::ArenaHeader* arena) {
  return arena->drain_requested.load(std::memory_order_relaxed) != 0;
}

// Returns false if all serials are taken. A process that was in another session before must not get
// its former serial again: its threads would assume that they are set up. Serials increase every
// time.
bool take_serial(wire::ArenaHeader* arena, std::uint32_t& serial) {
  do serial = arena->next_serial.fetch_add(1, std::memory_order_relaxed);
  while (serial <= g_last_serial && serial < wire::kFirstSerial + wire::kMaxImages);
  return serial >= wire::kFirstSerial && serial < wire::kFirstSerial + wire::kMaxImages;
}

// True if `pid` is also the id of this process in /proc. The mounted /proc may belong to an outer
// pid namespace, the collector's, which then knows this process by another id.
bool has_one_pid(int pid) {
  char text[16]{};
  return sys::readlink("/proc/self", text, sizeof text - 1) > 0 && number_of(text) == pid;
}

// True if this fork child is in the pid namespace of its parent, whose pid is the same everywhere.
// In a new namespace the child would not see its parent.
bool is_beside_parent(const wire::Hello& child) {
  return g_has_one_pid && child.ppid == g_process.forker.pid;
}

// Sends the arrival. Never blocks.
bool send_arrival(const wire::Arrival& arrival) {
  return write_to_pipe(g_process.arrival_pipe, &arrival, sizeof arrival);
}

// Returns the path by which the program was started; the collector resolves links and the
// interpreters of scripts. /proc/self/exe costs 12 us, so it is read only if that path does not
// name the file. Returns the length, or 0 if the path does not fit.
std::size_t program_path(char* out, std::size_t capacity) {
  const auto* path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  const bool is_plain = path != nullptr && path[0] == '/' && std::strncmp(path, "/proc/", 6) != 0 &&
                        std::strncmp(path, "/dev/fd/", 8) != 0;
  if (!is_plain) {
    const long length = sys::readlink("/proc/self/exe", out, capacity);
    return length > 0 && static_cast<std::size_t>(length) < capacity
               ? static_cast<std::size_t>(length)
               : 0;
  }
  const std::size_t length = std::strlen(path);
  if (length > capacity) return 0;
  std::memcpy(out, path, length);
  return length;
}

bool register_start() {
  wire::Arrival arrival{};
  wire::Hello& hello = arrival.hello = hello_of(wire::ProcessKind::kStart);
  hello.serial = g_live.self.serial;
  hello.slot = g_live.self.slot;
  hello.time = now();
  hello.program_bytes =
      static_cast<std::uint32_t>(program_path(arrival.program, sizeof arrival.program));
  g_has_one_pid = has_one_pid(hello.pid);
  return hello.program_bytes != 0 && g_has_one_pid && send_arrival(arrival);
}

void arrive_in_slot(const wire::Hello& hello) {
  wire::SlotOwner& owner = g_process.arena->slot_owners[hello.slot];
  owner.parent_serial.store(hello.parent_serial, std::memory_order_relaxed);
  owner.pid.store(hello.pid, std::memory_order_relaxed);
  owner.ppid.store(hello.ppid, std::memory_order_relaxed);
  owner.arrived.store(hello.time, std::memory_order_release);
}

// Introduces a fork child. Never blocks: the collector reads the arrival when it next polls, or at
// once if it watches the pipe.
bool arrive_after_fork(const wire::Hello& hello) {
  if (hello.slot == wire::kSharedSlot ||
      g_process.arena->arrivals_watched.load(std::memory_order_relaxed) != 0)
    return send_arrival({.hello = hello, .program = {}});
  arrive_in_slot(hello);
  return true;
}

bool register_fork() {
  wire::Hello hello = hello_of(wire::ProcessKind::kFork);
  if (!is_beside_parent(hello)) g_has_one_pid = has_one_pid(hello.pid);
  std::uint32_t serial;
  if (!g_has_one_pid || !take_serial(g_process.arena, serial)) return false;
  hello.serial = serial;
  hello.slot = wire::claim_slot(g_process.arena, serial);
  hello.time = now();
  if (arrive_after_fork(hello)) {
    take_identity(serial, hello.slot, hello.pid);
    return true;
  }
  wire::release_slot(g_process.arena, hello.slot, serial);
  return false;
}

// --- With a request.

// Receives the reply and, if the collector sent one, a descriptor (else -1).
bool receive_reply(int socket, wire::Reply& reply, int& descriptor) {
  iovec data{&reply, sizeof reply};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  long received;
  do {
    received = sys::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (received == -EINTR);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (received > 0 && header != nullptr && header->cmsg_level == SOL_SOCKET &&
      header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return received == sizeof reply && reply.magic == wire::kHandshakeMagic &&
         reply.version == wire::kWireVersion;
}

// Sends a request and receives the reply. The caller closes `descriptor`.
Answer request_reply(wire::ProcessKind kind, int& descriptor) {
  wire::Reply& reply = g_standing.reply;
  descriptor = -1;
  const int socket = sys::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC);
  if (socket < 0) return Answer::kNone;
  sys::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kHandshakeTimeout, sizeof kHandshakeTimeout);
  sys::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kHandshakeTimeout, sizeof kHandshakeTimeout);
  wire::Hello hello = hello_of(kind);
  hello.time = wire::read_ticks();
  const bool answered = connect_to(socket, SessionPath(wire::kControlSocketName)) &&
                        is_trusted_peer(socket) &&
                        sys::send(socket, &hello, sizeof hello) == sizeof hello &&
                        receive_reply(socket, reply, descriptor);
  sys::close(socket);
  if (!answered) return Answer::kNone;
  const bool welcome =
      reply.status == wire::ReplyStatus::kTrace && reply.serial >= wire::kFirstSerial;
  return welcome ? Answer::kWelcome : Answer::kRefused;
}

}  // namespace

void forget_session() {
  if (identity().serial < wire::kFirstCollectorSerial) g_last_serial = identity().serial;
}

wire::ArenaHeader* join_with_standing_reply() {
  if (!read_standing_reply()) return nullptr;
  wire::ArenaHeader* arena = map_arena_by_path();
  if (arena == nullptr) return nullptr;
  wire::Reply& reply = g_standing.reply;
  if (arena->closed.load(std::memory_order_relaxed) == 0 && !is_filling(arena) &&
      take_serial(arena, reply.serial)) {
    reply.slot = wire::claim_slot(arena, reply.serial);
    adopt(reply);
    if (register_start()) return arena;
    abandon();
    wire::release_slot(arena, reply.slot, reply.serial);
  }
  unmap_arena(arena);
  return nullptr;
}

wire::ArenaHeader* join_with_request() {
  int descriptor;
  const bool welcome = request_reply(wire::ProcessKind::kStart, descriptor) == Answer::kWelcome;
  const wire::Reply& reply = g_standing.reply;
  wire::ArenaHeader* arena = welcome && is_sealed_memory(descriptor)
                                 ? map_arena(descriptor, sys::file_size(descriptor), reply)
                                 : nullptr;
  if (descriptor >= 0) sys::close(descriptor);
  if (arena != nullptr) {
    adopt(reply);
    g_has_one_pid = has_one_pid(g_live.self.pid);
  } else if (welcome) {
    g_live.self.serial = reply.serial;
    announce(wire::AnnouncementKind::kNoRoom, 0);
  }
  return arena;
}

Answer introduce_after_fork() {
  if (has_feature(wire::kFeatureForksArrive) && !is_filling(g_process.arena) && register_fork())
    return Answer::kWelcome;
  int descriptor;
  const Answer answer = request_reply(wire::ProcessKind::kFork, descriptor);
  if (descriptor >= 0) sys::close(descriptor);
  if (answer == Answer::kWelcome) adopt(g_standing.reply);
  return answer;
}

}  // namespace prof::core
