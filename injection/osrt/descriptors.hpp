// The file that each descriptor of this process refers to, for --osrt-file-access.
//
// A descriptor gets an access number when it is opened, or at its first use if prof did not see it
// being opened. The access is described to the collector once. From then on, calls refer to it by
// its number. The numbers belong to one process image, so a fork child describes its files again. A
// vfork child uses its parent's memory but has its own descriptors, which are not followed.
//
// No locks are taken, and signal handlers may use these functions. If one thread opens or closes a
// descriptor while another uses it, the other gets either the old or the new file, as it would from
// the kernel.
#pragma once

#include <sys/socket.h>

#include <cstdint>

namespace prof::osrt {

inline constexpr int kFollowedDescriptors = 65536;  // higher descriptors are not followed

// Returns the access number of the descriptor, or 0 if it is not followed. Asks the kernel about a
// new descriptor (a few microseconds).
std::uint32_t access_of(int fd);

// Forgets the descriptor before it is closed: after the call another thread may get the same
// number. Returns its access or 0.
std::uint32_t take_access(int fd);
// Restores the access of a descriptor that was not closed.
void restore_access(int fd, std::uint32_t access);
// Forgets the descriptors from `first` to `last`. `visit` gets the access of each that has one.
void take_accesses(unsigned first, unsigned last, void (*visit)(std::uint32_t access, void*),
                   void* context);

// These register a descriptor that was opened at `time`. All return its access, or 0.
std::uint32_t opened_path(int fd, std::uint64_t time, int directory, const char* path);
std::uint32_t opened_nameless(int fd, std::uint64_t time, const char* what);
std::uint32_t opened_pipe(int fd, std::uint64_t time);
std::uint32_t opened_socket(int fd, std::uint64_t time, int domain, int type);
std::uint32_t opened_pair(int fd, std::uint64_t time, int domain, int type);
std::uint32_t opened_copy(int fd, std::uint64_t time, int original);
std::uint32_t opened_unknown(int fd, std::uint64_t time);  // asks the kernel

// Registers the peer of a socket. A null address means that the socket was bound or accepted; then
// the kernel is asked.
void set_peer(int fd, std::uint64_t time, const sockaddr* address, socklen_t length);

}  // namespace prof::osrt
