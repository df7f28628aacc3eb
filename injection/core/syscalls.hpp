// Direct system calls. Our own code never goes through libc's wrappers: those are interposed (by us
// and by others), touch errno and are cancellation points. All return the kernel's value: a result,
// or a negative errno.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

namespace prof::core::sys {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <class T>
long pointer(T* p) {
  return reinterpret_cast<long>(p);
}

inline int open(const char* path, int flags) {
  return static_cast<int>(call(SYS_openat, AT_FDCWD, pointer(path), flags));
}
inline long write(int fd, const void* data, std::size_t bytes) {
  return call(SYS_write, fd, pointer(data), static_cast<long>(bytes));
}
inline void close(int fd) { call(SYS_close, fd); }
inline void sleep_ns(long nanoseconds) {
  const timespec time{0, nanoseconds};
  call(SYS_nanosleep, pointer(&time), 0);
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
inline long send(int fd, const void* data, std::size_t bytes) {
  return call(SYS_sendto, fd, pointer(data), static_cast<long>(bytes), MSG_NOSIGNAL);
}
inline long recvmsg(int fd, msghdr* message, int flags) {
  return call(SYS_recvmsg, fd, pointer(message), flags);
}
// Returns MAP_FAILED-like values as negative errno in the pointer's bits: check with failed().
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
inline long readlink(const char* path, char* buffer, std::size_t bytes) {
  return call(SYS_readlinkat, AT_FDCWD, pointer(path), pointer(buffer), static_cast<long>(bytes));
}
// Length with the final zero.
inline long getcwd(char* buffer, std::size_t bytes) {
  return call(SYS_getcwd, pointer(buffer), static_cast<long>(bytes));
}
// 0 if that cannot be told.
inline std::uint64_t inode(int fd) {
  struct stat status;
  return call(SYS_fstat, fd, pointer(&status)) == 0 ? status.st_ino : 0;
}
inline int getsockopt(int fd, int level, int name, void* value, socklen_t* length) {
  return static_cast<int>(call(SYS_getsockopt, fd, level, name, pointer(value), pointer(length)));
}
inline int getpeername(int fd, sockaddr* address, socklen_t* length) {
  return static_cast<int>(call(SYS_getpeername, fd, pointer(address), pointer(length)));
}
inline int getsockname(int fd, sockaddr* address, socklen_t* length) {
  return static_cast<int>(call(SYS_getsockname, fd, pointer(address), pointer(length)));
}
inline int getpid() { return static_cast<int>(call(SYS_getpid)); }
inline int getppid() { return static_cast<int>(call(SYS_getppid)); }
inline std::uint32_t gettid() { return static_cast<std::uint32_t>(call(SYS_gettid)); }
inline int thread_name(char (&name)[16]) {
  constexpr long kGetName = 16;  // PR_GET_NAME
  return static_cast<int>(call(SYS_prctl, kGetName, pointer(name)));
}
// 20 + nice of the calling thread, 1..40; the kernel hands out 20 - nice.
inline int thread_priority() { return 40 - static_cast<int>(call(SYS_getpriority)); }

}  // namespace prof::core::sys
