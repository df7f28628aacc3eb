// Direct system calls. prof's code never calls libc's wrappers: they are interposed (by us and by
// other libraries), change errno, and are cancellation points. All functions return the kernel's
// value: a result, or a negative errno.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

#include "injection/core/machine/machine.hpp"

namespace prof::core::sys {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
  return machine::system_call(number, a, b, c, d, e, f);
}

template <class T>
long pointer(T* p) {
  return reinterpret_cast<long>(p);
}

inline int open(const char* path, int flags) {
  return static_cast<int>(call(SYS_openat, AT_FDCWD, pointer(path), flags));
}
// Returns the descriptor of a new and empty file of this user.
inline int create_file(const char* path) {
  constexpr long kOwner = 0600;
  return static_cast<int>(
      call(SYS_openat, AT_FDCWD, pointer(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwner));
}
inline int open_at(int directory, const char* path, int flags) {
  return static_cast<int>(call(SYS_openat, directory, pointer(path), flags));
}
inline int stat_at(int directory, const char* path, struct stat* out, int flags) {
  return static_cast<int>(call(SYS_newfstatat, directory, pointer(path), pointer(out), flags));
}
inline bool may_execute(const char* path) {
  constexpr long kExecute = 1;  // X_OK
  return call(SYS_faccessat, AT_FDCWD, pointer(path), kExecute) == 0;
}
inline long attribute_bytes(const char* path, const char* name) {
  return call(SYS_getxattr, pointer(path), pointer(name), 0, 0);
}
inline long directory_entries(int fd, void* entries, std::size_t bytes) {
  return call(SYS_getdents64, fd, pointer(entries), static_cast<long>(bytes));
}
inline long pread(int fd, void* data, std::size_t bytes, long offset) {
  return call(SYS_pread64, fd, pointer(data), static_cast<long>(bytes), offset);
}
inline long write(int fd, const void* data, std::size_t bytes) {
  return call(SYS_write, fd, pointer(data), static_cast<long>(bytes));
}
inline void close(int fd) { call(SYS_close, fd); }
inline int stat(const char* path, struct stat* info) {
  return static_cast<int>(call(SYS_newfstatat, AT_FDCWD, pointer(path), pointer(info)));
}
inline void sleep_ns(long nanoseconds) {
  const timespec time{0, nanoseconds};
  call(SYS_nanosleep, pointer(&time), 0);
}
// Returns the CPU time of the calling thread in ns.
inline std::uint64_t thread_cpu_time() {
  timespec time{};
  call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, pointer(&time));
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}
inline int socket(int domain, int type) {
  return static_cast<int>(call(SYS_socket, domain, type, 0));
}
inline int connect(int fd, const sockaddr* address, socklen_t length) {
  return static_cast<int>(call(SYS_connect, fd, pointer(address), length));
}
inline int setsockopt(int fd, int level, int name, const void* value, socklen_t length) {
  return static_cast<int>(call(SYS_setsockopt, fd, level, name, pointer(value), length));
}
inline int getsockopt(int fd, int level, int name, void* value, socklen_t* length) {
  return static_cast<int>(call(SYS_getsockopt, fd, level, name, pointer(value), pointer(length)));
}
inline long send(int fd, const void* data, std::size_t bytes) {
  return call(SYS_sendto, fd, pointer(data), static_cast<long>(bytes), MSG_NOSIGNAL);
}
inline long recvmsg(int fd, msghdr* message, int flags) {
  return call(SYS_recvmsg, fd, pointer(message), flags);
}
// If it fails, the pointer's bits are a negative errno: check with failed().
inline void* mmap(std::size_t bytes, int protection, int flags, int fd) {
  return reinterpret_cast<void*>(
      call(SYS_mmap, 0, static_cast<long>(bytes), protection, flags, fd, 0));
}
inline bool failed(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) > static_cast<std::uintptr_t>(-4096L);
}
inline int munmap(void* address, std::size_t bytes) {
  return static_cast<int>(call(SYS_munmap, pointer(address), static_cast<long>(bytes)));
}
inline int madvise(void* address, std::size_t bytes, int advice) {
  return static_cast<int>(call(SYS_madvise, pointer(address), static_cast<long>(bytes), advice));
}
// Returns a soft limit of this process; RLIM_INFINITY if it has none.
inline std::uint64_t limit(int resource) {
  std::uint64_t limits[2]{~std::uint64_t{0}, ~std::uint64_t{0}};
  call(SYS_prlimit64, 0, resource, 0, pointer(limits));
  return limits[0];
}
// Returns the seals of a memfd; negative for any other file.
inline long seals(int fd) { return call(SYS_fcntl, fd, F_GET_SEALS); }
inline std::size_t file_size(int fd) {
  struct stat info {};
  return call(SYS_fstat, fd, pointer(&info)) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
}
inline long readlink(const char* path, char* buffer, std::size_t bytes) {
  return call(SYS_readlinkat, AT_FDCWD, pointer(path), pointer(buffer), static_cast<long>(bytes));
}
// Returns the length, including the final zero.
inline long getcwd(char* buffer, std::size_t bytes) {
  return call(SYS_getcwd, pointer(buffer), static_cast<long>(bytes));
}
// Returns the inode, or 0 on failure.
inline std::uint64_t inode(int fd) {
  struct stat status {};
  return call(SYS_fstat, fd, pointer(&status)) == 0 ? status.st_ino : 0;
}
inline int getpeername(int fd, sockaddr* address, socklen_t* length) {
  return static_cast<int>(call(SYS_getpeername, fd, pointer(address), pointer(length)));
}
inline int getsockname(int fd, sockaddr* address, socklen_t* length) {
  return static_cast<int>(call(SYS_getsockname, fd, pointer(address), pointer(length)));
}
inline int getpid() { return static_cast<int>(call(SYS_getpid)); }
inline std::uint32_t geteuid() { return static_cast<std::uint32_t>(call(SYS_geteuid)); }
inline int getppid() { return static_cast<int>(call(SYS_getppid)); }
inline std::uint32_t gettid() { return static_cast<std::uint32_t>(call(SYS_gettid)); }
inline int thread_name(char (&name)[16]) {
  constexpr long kGetName = 16;  // PR_GET_NAME
  return static_cast<int>(call(SYS_prctl, kGetName, pointer(name)));
}
inline uid_t getuid() { return static_cast<uid_t>(call(SYS_getuid)); }
inline gid_t getgid() { return static_cast<gid_t>(call(SYS_getgid)); }
inline bool on_nosuid_mount(int fd) {
  constexpr long kNoSuid = 2;  // ST_NOSUID
  struct statfs info {};
  return call(SYS_fstatfs, fd, pointer(&info)) == 0 && (info.f_flags & kNoSuid) != 0;
}
inline bool no_new_privileges() {
  constexpr long kGetNoNewPrivileges = 39;  // PR_GET_NO_NEW_PRIVS
  return call(SYS_prctl, kGetNoNewPrivileges) == 1;
}
// Returns 20 + nice of the calling thread, from 1 to 40. The kernel returns 20 - nice.
inline int thread_priority() { return 40 - static_cast<int>(call(SYS_getpriority)); }

}  // namespace prof::core::sys
