// Recognises programs that cannot be traced through LD_PRELOAD, as far as their files show. The
// launcher checks the program that it starts. A traced process checks the programs that it execs or
// spawns.
#pragma once

#include <elf.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prof::preload {

enum class Obstacle : std::uint32_t {
  kNone = 0,
  kStatic,        // no dynamic linker, so nothing is preloaded
  kOtherLibc,     // another C library: its linker loads our library, which does nothing there
  kOtherMachine,  // 32-bit, or for another processor
  kPrivileged,    // gets privileges that its caller lacks: the linker ignores LD_PRELOAD
};

// The file name of glibc's dynamic linker (musl's begins with ld-musl), and the processor as an ELF
// machine.
#if defined(__x86_64__)
inline constexpr char kGlibcLoader[] = "ld-linux-x86-64.so.2";
inline constexpr Elf64_Half kMachine = EM_X86_64;
#else
inline constexpr char kGlibcLoader[] = "ld-linux-aarch64.so.1";
inline constexpr Elf64_Half kMachine = EM_AARCH64;
#endif

// True if the program uses glibc. `interpreter` is the text of PT_INTERP.
inline bool is_glibc_loader(const char* interpreter) {
  const char* slash = std::strrchr(interpreter, '/');
  return std::strcmp(slash != nullptr ? slash + 1 : interpreter, kGlibcLoader) == 0;
}

inline bool is_elf(const void* head, std::size_t bytes) {
  return bytes >= SELFMAG && std::memcmp(head, ELFMAG, SELFMAG) == 0;
}

inline bool is_our_machine(const Elf64_Ehdr& header) {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == kMachine;
}

// True if executing the file changes the user or group of the process. `user` and `group` are the
// caller's real ones, with which the kernel compares. The kernel ignores set-id bits on nosuid
// mounts and after PR_SET_NO_NEW_PRIVS; callers check that.
inline bool changes_identity(const struct stat& file, uid_t user, gid_t group) {
  const bool set_user = (file.st_mode & S_ISUID) != 0 && file.st_uid != user;
  constexpr mode_t kSetGroup = S_ISGID | S_IXGRP;  // without x, S_ISGID meant mandatory locking
  return set_user || ((file.st_mode & kSetGroup) == kSetGroup && file.st_gid != group);
}

// True if the library is a sanitizer runtime, which only works as the first library. `library` is a
// name or a path.
inline bool wants_to_be_first(const char* library, std::size_t length) {
  for (std::size_t i = length; i-- > 0;) {
    if (library[i] != '/') continue;
    library += i + 1;
    length -= i + 1;
    break;
  }
  constexpr const char* kRuntimes[] = {"libasan.so", "libtsan.so", "libclang_rt.asan",
                                       "libclang_rt.tsan"};
  for (const char* name : kRuntimes) {
    const std::size_t bytes = std::strlen(name);
    if (length >= bytes && std::strncmp(library, name, bytes) == 0) return true;
  }
  return false;
}

}  // namespace prof::preload
