// Which file is behind each descriptor of this process, for --osrt-file-access.
//
// A descriptor gets an access number when it is opened, or when it is first used if it was opened
// where we could not see it; the collector is told once what is behind the number, and calls name
// it from then on. The numbers belong to one process image: a fork child tells anew. A vfork child
// works in its parent's memory on descriptors of its own, which are left alone.
//
// No locks, and safe in signal handlers. What opens and closes a descriptor in one thread while
// another uses it gets the answer that the kernel would give it: either.
#pragma once

#include <sys/socket.h>

#include <cstdint>

namespace prof::osrt {

inline constexpr int kFollowedDescriptors = 65536;  // higher ones are not followed

// Its access; asks the kernel if it is new (a few microseconds). 0: not to be followed.
std::uint32_t access_of(int fd);

// Forgets the descriptor, before it is closed: afterwards another thread may get the same number.
// Returns its access or 0.
std::uint32_t take_access(int fd);
// It was not closed after all.
void put_back(int fd, std::uint32_t access);
// Those from `first` to `last`; `visit` gets the access of each that has one.
void take_accesses(unsigned first, unsigned last, void (*visit)(std::uint32_t access, void*),
                   void* context);

// The descriptor was opened, and is there since `time`. Return its access, or 0.
std::uint32_t opened_path(int fd, std::uint64_t time, int directory, const char* path);
std::uint32_t opened_nameless(int fd, std::uint64_t time, const char* what);
std::uint32_t opened_pipe(int fd, std::uint64_t time);
std::uint32_t opened_socket(int fd, std::uint64_t time, int domain, int type);
std::uint32_t opened_pair(int fd, std::uint64_t time, int domain, int type);
std::uint32_t opened_copy(int fd, std::uint64_t time, int original);
std::uint32_t opened_somehow(int fd, std::uint64_t time);  // the kernel is asked

// A socket has got this peer; null: has been bound, or accepted, and the kernel is asked.
void set_peer(int fd, std::uint64_t time, const sockaddr* address, socklen_t length);

}  // namespace prof::osrt
