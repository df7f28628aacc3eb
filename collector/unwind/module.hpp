// A file (or the vdso) whose code was mapped. All processes and mappings of it share one module.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collector/symbols/elf_image.hpp"
#include "collector/unwind/cfi_table.hpp"
#include "collector/unwind/jit_code.hpp"

namespace prof::unwind {

// Identifies a file. Unknown device and inode are 0, an unknown build-id is empty.
struct FileIdentity {
  std::string path;
  std::uint64_t device = 0, inode = 0;
  std::string build_id;  // hexadecimal

  bool operator<(const FileIdentity& other) const {
    return std::tie(path, device, inode, build_id) <
           std::tie(other.path, other.device, other.inode, other.build_id);
  }
};

// Where files are looked for.
struct FilePlaces {
  std::string root;  // prefix of each path: "/proc/PID/root" for a program in a container
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
};

// The file is read at first use. If it is gone, or is not the one that was mapped, there is no call
// frame information. For one thread at a time.
class Module {
 public:
  Module(FileIdentity identity, FilePlaces places)
      : identity_(std::move(identity)), places_(std::move(places)) {}
  // For an image in memory.
  Module(std::string name, symbols::ElfImage image);

  const std::string& path() const { return identity_.path; }
  const FileIdentity& identity() const { return identity_; }

  // Hexadecimal. Empty if the file has none or cannot be read any more.
  std::string build_id();

  // Null if there is no call frame information.
  CfiTable* frames() {
    if (!is_read_) read();
    return frames_ ? &*frames_ : nullptr;
  }
  // Like ElfImage::address_of.
  std::optional<std::uint64_t> address_of(std::uint64_t file_offset) const {
    for (const symbols::Segment& each : code_)
      if (file_offset >= each.offset && file_offset - each.offset < each.size)
        return file_offset - each.offset + each.address;
    return {};
  }
  // Why there is no call frame information; otherwise empty.
  const std::string& problem() const { return problem_; }

 private:
  base::Result<symbols::ElfImage> open() const;
  void read();
  void take(symbols::ElfImage& image);
  void add_debug_frame(const symbols::ElfImage& image, FrameSections& sections) const;

  FileIdentity identity_;
  FilePlaces places_;
  bool is_read_ = false;
  std::vector<symbols::Segment> code_;
  std::optional<CfiTable> frames_;
  std::string problem_;
};

// The code of all processes that one unwinder serves, from files and from JIT compilers.
class Modules {
 public:
  explicit Modules(FilePlaces places = {}) : places_(std::move(places)) {}

  std::shared_ptr<Module> find(const FileIdentity& identity);
  // The kernel maps the same vdso into every process, so prof's own is used. Null if there is none.
  std::shared_ptr<Module> vdso();

  JitCodes& jit() { return jit_; }

 private:
  FilePlaces places_;
  std::map<FileIdentity, std::shared_ptr<Module>> modules_;
  std::shared_ptr<Module> vdso_;
  bool has_looked_for_vdso_ = false;
  JitCodes jit_;
};

}  // namespace prof::unwind
