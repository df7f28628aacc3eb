// Which programs LD_PRELOAD cannot reach (pitfalls 4.24, 4.25), from what both sides can see of a
// file: the launcher looks at the program it starts, the target at those it execs and spawns.
#pragma once

#include <elf.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prof::preload {

enum class Obstacle : std::uint32_t {
  kNone = 0,
  kStatic,        // no dynamic linker, nothing is preloaded
  kOtherLibc,     // another C library's linker: it loads us, and we do nothing there
  kOtherMachine,  // 32-bit, or not x86-64 at all
  kPrivileged,    // runs with rights its caller lacks: the linker ignores LD_PRELOAD
};

// glibc's, wherever it is installed; musl's is called ld-musl-x86_64.so.1.
inline constexpr char kGlibcLoader[] = "ld-linux-x86-64.so.2";

// `interpreter`: text of PT_INTERP.
inline bool is_glibc_loader(const char* interpreter) {
  const char* slash = std::strrchr(interpreter, '/');
  return std::strcmp(slash != nullptr ? slash + 1 : interpreter, kGlibcLoader) == 0;
}

inline bool is_elf(const void* head, std::size_t bytes) {
  return bytes >= SELFMAG && std::memcmp(head, ELFMAG, SELFMAG) == 0;
}

inline bool is_our_machine(const Elf64_Ehdr& header) {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64;
}

// Does executing the file change who the process is? `user` and `group`: the real ones of the
// caller, with whom the kernel compares. Set-ids are ignored on nosuid mounts and after
// PR_SET_NO_NEW_PRIVS: callers look at those.
inline bool changes_identity(const struct stat& file, uid_t user, gid_t group) {
  const bool set_user = (file.st_mode & S_ISUID) != 0 && file.st_uid != user;
  constexpr mode_t kSetGroup = S_ISGID | S_IXGRP;  // without x it once meant mandatory locking
  return set_user || ((file.st_mode & kSetGroup) == kSetGroup && file.st_gid != group);
}

// Sanitizer runtimes do not work behind other libraries (pitfall 4.26). `library`: a name or a
// path.
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
