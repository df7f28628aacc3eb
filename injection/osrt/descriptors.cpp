#include "injection/osrt/descriptors.hpp"

#include <fcntl.h>

#include <atomic>
#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::osrt {

namespace {

using core::g_process;
namespace sys = core::sys;

// Serial of the image that reported the access << 32 | access. Only used pages take memory.
constinit core::LazyArray<std::atomic<std::uint64_t>, kFollowedDescriptors> g_accesses;
std::atomic<std::uint32_t> g_last_access;
std::atomic<int> g_highest = -1;

// Longer paths are cut. The buffer is on the stack, which may be small in a signal handler.
constexpr std::size_t kPathRoom = 1024;

bool is_followed(int fd) { return fd >= 0 && fd < kFollowedDescriptors; }
bool may_ask() { return !g_process.sandboxed.load(std::memory_order_relaxed); }

// True in a vfork child. This costs a system call, so it is called only when a descriptor is opened
// or closed. A fork child that has not joined yet also has another pid, but its live word is wiped.
bool in_vfork_child() {
  return core::live_word() >= wire::kFirstSerial && may_ask() &&
         sys::getpid() != core::g_live.self.pid;
}

std::uint32_t known(std::uint64_t word) {
  return word >> 32 == core::live_word() ? static_cast<std::uint32_t>(word) : 0;
}

wire::FileRecord described(int fd, std::uint64_t time, wire::FileKind kind, std::uint64_t name) {
  wire::FileRecord record{};
  record.header = core::header_of<wire::FileRecord>(wire::RecordType::kFile);
  record.time = time;
  record.name = name;
  record.fd = fd;
  record.kind = kind;
  return record;
}

// Gives the descriptor an access number and reports the file to which it refers.
std::uint32_t define(wire::FileRecord record) {
  const std::uint32_t access = g_last_access.fetch_add(1, std::memory_order_relaxed) + 1;
  record.header.aux = access;
  if (!core::append(record)) return 0;  // dropped: the next call tries again
  restore_access(record.fd, access);
  return access;
}

std::uint32_t define_opened(wire::FileRecord record) {
  if (!is_followed(record.fd) || in_vfork_child()) return 0;
  record.header.flags |= wire::kFileOpened;
  return define(record);
}

bool is_unnamed(const sockaddr_storage& address, socklen_t length) {
  if (address.ss_family != AF_UNIX) return length == 0;
  return length <= sizeof address.ss_family;
}

// Sets the peer's address, or the socket's own address if the peer has none.
void ask_addresses(wire::FileRecord& record) {
  sockaddr_storage address{};
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  if (sys::getpeername(record.fd, plain, &length) != 0 || is_unnamed(address, length)) {
    length = sizeof address;
    if (sys::getsockname(record.fd, plain, &length) != 0 || is_unnamed(address, length)) return;
    record.header.flags |= wire::kFileLocalAddress;
  }
  if (length > sizeof address) length = sizeof address;
  record.address = core::intern(reinterpret_cast<const char*>(&address), length);
}

void ask_kind(wire::FileRecord& record) {
  const auto option = [&](int name) {
    int value = 0;
    socklen_t length = sizeof value;
    return sys::getsockopt(record.fd, SOL_SOCKET, name, &value, &length) == 0 ? value : 0;
  };
  record.kind = wire::FileKind::kSocket;
  record.socket_type = static_cast<std::uint8_t>(option(SO_TYPE));
  record.socket_domain = static_cast<std::uint16_t>(option(SO_DOMAIN));
  record.name = sys::inode(record.fd);
}

// Writes "/proc/self/fd/" and the number.
void put_link(char (&link)[32], int fd) {
  constexpr char kFolder[] = "/proc/self/fd/";
  std::memcpy(link, kFolder, sizeof kFolder);
  char digits[12];
  int count = 0;
  for (; fd > 0 || count == 0; fd /= 10) digits[count++] = static_cast<char>('0' + fd % 10);
  for (int i = 0; i < count; ++i) link[sizeof kFolder - 1 + i] = digits[count - 1 - i];
  link[sizeof kFolder - 1 + count] = '\0';
}

// Asks the kernel what the descriptor refers to.
[[gnu::noinline]] wire::FileRecord ask_kernel(int fd, std::uint64_t time) {
  wire::FileRecord record = described(fd, time, wire::FileKind::kUnknown, 0);
  if (!may_ask()) return record;
  char link[32];
  put_link(link, fd);
  char name[kPathRoom];
  const long length = sys::readlink(link, name, sizeof name);
  if (length <= 0) return record;
  constexpr char kSocket[] = "socket:";
  if (length > 7 && std::memcmp(name, kSocket, 7) == 0) {
    ask_kind(record);
    ask_addresses(record);
    return record;
  }
  record.kind = wire::FileKind::kPath;
  record.name = core::intern(name, static_cast<std::size_t>(length));
  return record;
}

// Adds the working directory to a relative path. The collector normalizes the result.
[[gnu::noinline]] std::uint64_t intern_relative(const char* path) {
  char whole[kPathRoom];
  const long folder = may_ask() ? sys::getcwd(whole, sizeof whole) : 0;
  std::size_t length = folder > 0 ? static_cast<std::size_t>(folder) - 1 : 0;
  if (length > 0 && length < sizeof whole) whole[length++] = '/';
  for (; *path != '\0' && length < sizeof whole; ++path) whole[length++] = *path;
  return core::intern(whole, length);
}

[[gnu::cold, gnu::noinline]] std::uint32_t find(int fd) {
  if (in_vfork_child()) return 0;
  return define(ask_kernel(fd, core::now()));
}

}  // namespace

std::uint32_t access_of(int fd) {
  if (!is_followed(fd)) return 0;
  const auto* accesses = g_accesses.get_if_used();
  const std::uint32_t access =
      accesses == nullptr ? 0 : known(accesses[fd].load(std::memory_order_relaxed));
  return access != 0 ? access : find(fd);
}

std::uint32_t take_access(int fd) {
  auto* accesses = g_accesses.get_if_used();
  if (!is_followed(fd) || accesses == nullptr || in_vfork_child()) return 0;
  return known(accesses[fd].exchange(0, std::memory_order_relaxed));
}

void restore_access(int fd, std::uint32_t access) {
  if (!is_followed(fd) || access == 0) return;
  auto* accesses = g_accesses.get();
  if (accesses == nullptr) return;
  const std::uint64_t serial = core::live_word();
  accesses[fd].store(serial << 32 | access, std::memory_order_relaxed);
  int highest = g_highest.load(std::memory_order_relaxed);
  while (highest < fd && !g_highest.compare_exchange_weak(highest, fd, std::memory_order_relaxed)) {
  }
}

void take_accesses(unsigned first, unsigned last, void (*visit)(std::uint32_t access, void*),
                   void* context) {
  const int highest = g_highest.load(std::memory_order_relaxed);
  auto* accesses = g_accesses.get_if_used();
  if (highest < 0 || accesses == nullptr || in_vfork_child()) return;
  for (unsigned fd = first; fd <= last && fd <= static_cast<unsigned>(highest); ++fd) {
    const std::uint32_t access = known(accesses[fd].exchange(0, std::memory_order_relaxed));
    if (access != 0) visit(access, context);
  }
}

// Asking the kernel for the name takes longer than opening the file (docs/decisions/0011), so it is
// done only if the path that the program gave is not enough.
std::uint32_t opened_path(int fd, std::uint64_t time, int directory, const char* path) {
  if (path == nullptr) return opened_unknown(fd, time);
  std::uint64_t name = 0;
  if (path[0] == '/')
    name = core::intern(path);
  else if (directory == AT_FDCWD)
    name = intern_relative(path);
  else
    return opened_unknown(fd, time);
  return define_opened(described(fd, time, wire::FileKind::kPath, name));
}

std::uint32_t opened_nameless(int fd, std::uint64_t time, const char* what) {
  return define_opened(described(fd, time, wire::FileKind::kPath, core::intern(what)));
}

std::uint32_t opened_pipe(int fd, std::uint64_t time) {
  const std::uint64_t inode = may_ask() ? sys::inode(fd) : 0;
  return define_opened(described(fd, time, wire::FileKind::kPipe, inode));
}

std::uint32_t opened_socket(int fd, std::uint64_t time, int domain, int type) {
  wire::FileRecord record = described(fd, time, wire::FileKind::kSocket, 0);
  record.socket_domain = static_cast<std::uint16_t>(domain);
  record.socket_type = static_cast<std::uint8_t>(type & 0xf);  // without flags such as SOCK_CLOEXEC
  return define_opened(record);
}

std::uint32_t opened_pair(int fd, std::uint64_t time, int domain, int type) {
  wire::FileRecord record = described(fd, time, wire::FileKind::kSocket, 0);
  record.socket_domain = static_cast<std::uint16_t>(domain);
  record.socket_type = static_cast<std::uint8_t>(type & 0xf);
  if (may_ask()) record.name = sys::inode(fd);
  return define_opened(record);
}

std::uint32_t opened_copy(int fd, std::uint64_t time, int original) {
  const std::uint32_t of = access_of(original);
  if (of == 0) return opened_unknown(fd, time);
  return define_opened(described(fd, time, wire::FileKind::kDuplicate, of));
}

std::uint32_t opened_unknown(int fd, std::uint64_t time) {
  return is_followed(fd) ? define_opened(ask_kernel(fd, time)) : 0;
}

void set_peer(int fd, std::uint64_t time, const sockaddr* address, socklen_t length) {
  const std::uint32_t access = access_of(fd);
  if (access == 0 || in_vfork_child()) return;
  wire::FileRecord record = described(fd, time, wire::FileKind::kSocket, 0);
  if (address != nullptr && length <= sizeof(sockaddr_storage))
    record.address = core::intern(reinterpret_cast<const char*>(address), length);
  else if (may_ask())
    ask_addresses(record);
  record.header.aux = access;
  if (record.address != 0) core::append(record);
}

}  // namespace prof::osrt
