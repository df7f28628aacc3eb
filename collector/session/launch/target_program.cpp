#include "collector/session/launch/target_program.hpp"

#include <elf.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>

#include "common/base/machine.hpp"
#include "common/base/mapped_file.hpp"
#include "common/wire/preload/program_file.hpp"

namespace prof::session {

using base::fail;

namespace {

constexpr int kMaxInterpreters = 4;  // the kernel's limit: a script may name a script

bool is_executable_file(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

base::Result<std::string> find_program(const std::string& name, const std::string& search_path) {
  if (name.find('/') != std::string::npos) {
    struct stat info {};
    if (stat(name.c_str(), &info) != 0)
      return fail("cannot run " + name + ": " + std::strerror(errno));
    if (S_ISDIR(info.st_mode)) return fail("cannot run " + name + ": it is a directory");
    if (!is_executable_file(name))
      return fail("cannot run " + name +
                  ": it is not executable (chmod +x, or name its interpreter)");
    return name;
  }
  std::istringstream directories(search_path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    std::string path = (directory.empty() ? "." : directory) + "/" + name;
    if (is_executable_file(path)) return path;
  }
  return fail("cannot run " + name + ": no such program in PATH");
}

// Returns the interpreter of "#!interpreter [argument]", with `env NAME` resolved to NAME.
std::optional<std::string> interpreter_of(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              std::min<std::size_t>(file.size(), 256));
  if (!text.starts_with("#!")) return std::nullopt;
  std::istringstream line(std::string(text.substr(2, text.find('\n') - 2)));
  std::string interpreter;
  std::string argument;
  line >> interpreter >> argument;
  const bool env = interpreter == "/usr/bin/env" || interpreter == "/bin/env";
  return env && !argument.empty() && argument[0] != '-' ? argument : interpreter;
}

// A bounds-checked view of an ELF file.
class Elf {
 public:
  explicit Elf(std::span<const std::byte> bytes) : bytes_(bytes) {
    const auto* header = at<Elf64_Ehdr>(0);
    valid_ = header != nullptr && preload::is_elf(bytes_.data(), bytes_.size());
    is_64_ = valid_ && preload::is_our_machine(*header);
    if (!is_64_) return;
    for (unsigned i = 0; i < header->e_phnum; ++i)
      if (const auto* segment = at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr)))
        segments_.push_back(segment);
  }

  bool valid() const { return valid_; }
  bool is_64() const { return is_64_; }
  bool is_dynamic() const { return find(PT_INTERP) != nullptr; }
  bool uses_glibc() const {
    const Elf64_Phdr* segment = find(PT_INTERP);
    if (segment == nullptr || segment->p_offset >= bytes_.size()) return false;
    const auto* text = reinterpret_cast<const char*>(bytes_.data() + segment->p_offset);
    const std::string interpreter(text, strnlen(text, bytes_.size() - segment->p_offset));
    return preload::is_glibc_loader(interpreter.c_str());
  }

  std::vector<std::string_view> needed() const {
    std::vector<std::string_view> names;
    const Elf64_Phdr* dynamic = find(PT_DYNAMIC);
    if (dynamic == nullptr) return names;
    std::uint64_t strings = 0;
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t o = 0; o + sizeof(Elf64_Dyn) <= dynamic->p_filesz; o += sizeof(Elf64_Dyn)) {
      const auto* entry = at<Elf64_Dyn>(dynamic->p_offset + o);
      if (entry == nullptr || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
      if (entry->d_tag == DT_NEEDED) offsets.push_back(entry->d_un.d_val);
    }
    for (const std::uint64_t offset : offsets) names.push_back(text_at(strings + offset));
    return names;
  }

 private:
  template <class T>
  const T* at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }

  const Elf64_Phdr* find(std::uint32_t type) const {
    for (const Elf64_Phdr* segment : segments_)
      if (segment->p_type == type) return segment;
    return nullptr;
  }

  // Returns the text at a virtual address.
  std::string_view text_at(std::uint64_t address) const {
    for (const Elf64_Phdr* segment : segments_) {
      if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
          address - segment->p_vaddr >= segment->p_filesz)
        continue;
      const std::uint64_t offset = segment->p_offset + (address - segment->p_vaddr);
      if (offset >= bytes_.size()) break;
      const auto* text = reinterpret_cast<const char*>(bytes_.data() + offset);
      return {text, strnlen(text, bytes_.size() - offset)};
    }
    return {};
  }

  std::span<const std::byte> bytes_;
  std::vector<const Elf64_Phdr*> segments_;
  bool valid_ = false;
  bool is_64_ = false;
};

// True if the kernel ignores set-user-id, set-group-id and file capabilities on the file system of
// the path.
bool is_on_nosuid_mount(const std::string& path) {
  struct statvfs file_system {};
  return statvfs(path.c_str(), &file_system) == 0 && (file_system.f_flag & ST_NOSUID) != 0;
}

void inspect_privileges(const std::string& path, TargetProgram& program) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return;
  const bool set_id = preload::changes_identity(info, getuid(), getgid()) &&
                      prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
  // File capabilities do not change what root may do. For other users they make the program
  // privileged.
  const bool capabilities =
      getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  if ((set_id || capabilities) && !is_on_nosuid_mount(path))
    program.warnings.push_back(
        path + " is " + (set_id ? "set-user-id or set-group-id" : "given file capabilities") +
        ": the system ignores LD_PRELOAD for it, so it is not traced");
}

void inspect_elf(const std::string& path, const Elf& elf, TargetProgram& program) {
  program.loads_library = elf.is_64() && elf.is_dynamic() && elf.uses_glibc();
  if (!elf.is_64()) {
    program.warnings.push_back(path + " is not an " + base::kMachineName +
                               " program, so only its system calls can be traced "
                               "(-t syscall)");
    return;
  }
  if (!elf.is_dynamic())
    program.warnings.push_back(path +
                               " is statically linked, so LD_PRELOAD has no effect: its OS-runtime "
                               "calls and NVTX ranges are not traced. Its system calls can be "
                               "traced (-t syscall)");
  else if (!elf.uses_glibc())
    program.warnings.push_back(
        path +
        " is linked to a C library other than glibc, so its OS-runtime calls and NVTX ranges are "
        "not traced. Its system calls can be traced (-t syscall)");
  for (const std::string_view library : elf.needed())
    if (preload::wants_to_be_first(library.data(), library.size()))
      program.preload_first.emplace_back(library);
}

}  // namespace

base::Result<TargetProgram> inspect_program(const std::string& name,
                                            const std::string& search_path) {
  auto found = find_program(name, search_path);
  if (!found) return tl::make_unexpected(found.error());
  TargetProgram program;
  program.path = *found;
  std::string path = *found;
  for (int depth = 0; depth <= kMaxInterpreters; ++depth) {
    inspect_privileges(path, program);
    const auto file = base::MappedFile::open(path);
    if (!file) break;  // executable but not readable: nothing to warn about
    const Elf elf(file->bytes());
    if (elf.valid()) {
      inspect_elf(path, elf, program);
      break;
    }
    const auto interpreter = interpreter_of(file->bytes());
    if (!interpreter) break;
    auto next = find_program(*interpreter, search_path);
    if (!next)
      return fail("cannot run " + name + ": its interpreter " + *interpreter + " is missing");
    path = *next;
  }
  return program;
}

}  // namespace prof::session
