#include "injection/process/program_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "common/wire/preload/program_file.hpp"
#include "injection/core/live.hpp"
#include "injection/core/mapped.hpp"
#include "injection/core/open_file.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/readable.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/startup/environment.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::process {

namespace {

namespace sys = core::sys;
using preload::Obstacle;

constexpr int kMaxInterpreters = 4;  // like the kernel: a script's interpreter may be a script
constexpr std::size_t kMaxPath = 512;
constexpr std::size_t kLineBytes = 256;   // of a script's first line: as much as the kernel reads
constexpr std::size_t kHeadBytes = 1024;  // holds the path of the dynamic linker of most programs

bool is_traced() {
  return core::g_process.arena != nullptr && core::live_word() != core::kOff &&
         !core::g_process.sandboxed.load(std::memory_order_relaxed);
}

// The first bytes of a program file: ELF headers, or the first line of a script.
struct Head {
  std::size_t bytes = 0;
  char data[kHeadBytes + 1];

  bool read(int file) {
    const long got = sys::pread(file, data, sizeof data - 1, 0);
    bytes = got > 0 ? static_cast<std::size_t>(got) : 0;
    data[bytes] = '\0';
    return bytes != 0;
  }

  // Reads up to `size` bytes at `offset` of the file. Most of them are already in `data`.
  long read(int file, std::uint64_t offset, void* out, std::size_t size) const {
    if (offset > bytes || size > bytes - offset)
      return sys::pread(file, out, size, static_cast<long>(offset));
    std::memcpy(out, data + offset, size);
    return static_cast<long>(size);
  }
};

// A file that is open for reading for the length of a scope. Devices and pipes are never opened,
// because opening them has side effects. If the program may hold record locks of the file, the
// program's own descriptor is read: closing a new one would release the locks.
class File {
 public:
  File(int directory, const char* path, int flags) {
    if (sys::stat_at(directory, path, &status_, flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)) !=
            0 ||
        !S_ISREG(status_.st_mode) || (status_.st_mode & 0111) == 0)
      return;
    borrowed_ = path[0] == '\0';
    if (!borrowed_ && core::g_process.takes_record_locks.load(std::memory_order_relaxed)) {
      if (!core::find_open(status_, fd_)) return;
      borrowed_ = fd_ >= 0;
      if (borrowed_) return;
    }
    fd_ = borrowed_ ? directory : sys::open_at(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  }
  ~File() {
    if (fd_ >= 0 && !borrowed_) sys::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_program() const { return S_ISREG(status_.st_mode) && (status_.st_mode & 0111) != 0; }
  const struct stat& status() const { return status_; }
  int fd() const { return fd_; }

 private:
  struct stat status_ {};
  int fd_ = -1;
  bool borrowed_ = false;
};

bool gains_rights(const File& file, int directory, const char* path) {
  const uid_t user = sys::getuid();
  const bool set_id = (file.status().st_mode & (S_ISUID | S_ISGID)) != 0 &&
                      preload::changes_identity(file.status(), user, sys::getgid()) &&
                      !sys::no_new_privileges();
  // File capabilities give root nothing. For other users the kernel treats such a program as
  // privileged even after PR_SET_NO_NEW_PRIVS. The capabilities are looked up by path, as the file
  // may not be readable.
  const bool capabilities = user != 0 && directory == AT_FDCWD && path[0] != '\0' &&
                            sys::attribute_bytes(path, "security.capability") > 0;
  if (!set_id && !capabilities) return false;
  return file.fd() < 0 || !sys::on_nosuid_mount(file.fd());
}

// The data of an inspection: the parts of files that it reads, and the path that it checks. It is
// not on the stack, which can be that of a signal handler.
struct Inspection {
  Head head;
  char found[kLineBytes];  // path of the interpreter that cannot be traced; empty: the program
  char loader[kLineBytes];
  char path[kMaxPath];
};

Obstacle obstacle_of_elf(Inspection& inspection, int file) {
  const Head& head = inspection.head;
  char(&interpreter)[kLineBytes] = inspection.loader;
  Elf64_Ehdr header;
  if (head.bytes < sizeof header) return Obstacle::kNone;
  std::memcpy(&header, head.data, sizeof header);
  if (!preload::is_our_machine(header)) return Obstacle::kOtherMachine;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (head.read(file, header.e_phoff + i * sizeof segment, &segment, sizeof segment) !=
        sizeof segment)
      return Obstacle::kNone;
    if (segment.p_type != PT_INTERP) continue;
    const long got = head.read(file, segment.p_offset, interpreter,
                               std::min<std::uint64_t>(segment.p_filesz, sizeof interpreter - 1));
    if (got <= 0) return Obstacle::kNone;
    interpreter[got] = '\0';
    return preload::is_glibc_loader(interpreter) ? Obstacle::kNone : Obstacle::kOtherLibc;
  }
  return Obstacle::kStatic;
}

// Copies the path from "#! interpreter argument" to `interpreter`.
bool interpreter_of(const Head& head, char (&interpreter)[kLineBytes]) {
  if (head.bytes < 3 || head.data[0] != '#' || head.data[1] != '!') return false;
  const char* from = head.data + 2;
  while (*from == ' ' || *from == '\t') ++from;
  std::size_t length = 0;
  while (from[length] != '\0' && from[length] != ' ' && from[length] != '\t' &&
         from[length] != '\n')
    ++length;
  if (length == 0 || length >= sizeof interpreter) return false;
  std::memcpy(interpreter, from, length);
  interpreter[length] = '\0';
  return true;
}

// Returns why the program, or one of its interpreters, cannot be traced. `found` is the path of
// that file.
Obstacle obstacle_of(int directory, const char* path, int flags, Inspection& inspection) {
  Head& head = inspection.head;
  char(&found)[kLineBytes] = inspection.found;
  for (int depth = 0; depth <= kMaxInterpreters; ++depth) {
    const File file(directory, path, flags);
    if (!file.is_program()) return Obstacle::kNone;
    if (gains_rights(file, directory, path)) return Obstacle::kPrivileged;
    if (file.fd() < 0 || !head.read(file.fd())) return Obstacle::kNone;
    if (preload::is_elf(head.data, head.bytes)) return obstacle_of_elf(inspection, file.fd());
    if (!interpreter_of(head, found)) return Obstacle::kNone;
    directory = AT_FDCWD;
    path = found;
    flags = 0;
  }
  return Obstacle::kNone;
}

wire::DiagnosticCode code_of(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::kOtherLibc:
      return wire::DiagnosticCode::kOtherLibc;
    case Obstacle::kOtherMachine:
      return wire::DiagnosticCode::kOtherMachine;
    case Obstacle::kPrivileged:
      return wire::DiagnosticCode::kPrivileged;
    default:
      return wire::DiagnosticCode::kStaticProgram;
  }
}

// True for ldconfig. Programs such as Python's ctypes run it to find libraries. It is always
// static, and nobody looks for it in a profile.
bool is_ldconfig(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  const char* const file = slash == nullptr ? path : slash + 1;
  return std::strcmp(file, "ldconfig") == 0 || std::strcmp(file, "ldconfig.real") == 0;
}

void inspect(int directory, const char* path, int flags, Inspection& inspection) {
  const Obstacle obstacle = obstacle_of(directory, path, flags, inspection);
  if (obstacle == Obstacle::kNone) return;
  const char* culprit = inspection.found[0] != '\0' ? inspection.found : path;
  if (obstacle == Obstacle::kStatic && is_ldconfig(culprit)) return;
  core::report_each(code_of(obstacle), core::intern(culprit));
}

}  // namespace

void report_if_untraceable(const char* path) { report_if_untraceable(AT_FDCWD, path, 0); }

void report_if_untraceable(int directory, const char* path, int flags) {
  if (path == nullptr || !is_traced()) return;
  const core::Mapped<Inspection> inspection;
  if (inspection) inspect(directory, path, flags, *inspection);
}

void report_if_untraceable_in_path(const char* file) {
  if (file == nullptr || !is_traced()) return;
  core::Reader reader;
  if (!reader.can_read_text(file)) return;
  if (std::strchr(file, '/') != nullptr) return report_if_untraceable(file);
  const core::Mapped<Inspection> inspection;
  if (!inspection) return;
  char(&path)[kMaxPath] = inspection->path;
  const std::size_t length = std::strlen(file);
  const char* list = core::variable(environ, "PATH");
  if (list == nullptr) list = "/bin:/usr/bin";
  for (;; ++list) {
    std::size_t folder = 0;
    while (list[folder] != '\0' && list[folder] != ':') ++folder;
    if (folder + 1 + length < sizeof path) {
      std::memcpy(path, list, folder);
      path[folder] = '/';
      std::memcpy(path + folder + (folder != 0), file, length + 1);
      if (sys::may_execute(path)) return inspect(AT_FDCWD, path, 0, *inspection);
    }
    list += folder;
    if (*list == '\0') return;
  }
}

}  // namespace prof::process
