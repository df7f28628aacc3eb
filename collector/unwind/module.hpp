// One file (or the vdso) whose code was mapped, shared by all processes and mappings of it.
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

// What tells files apart; device and inode are 0 and the build-id is empty where they are not
// known.
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
  std::string root;  // put before each path: "/proc/PID/root" for a target in a container
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
};

// Read when it is first asked for; a file that is gone, or is not the one that was mapped, has no
// call frame information. One thread at a time.
class Module {
 public:
  Module(FileIdentity identity, FilePlaces places)
      : identity_(std::move(identity)), places_(std::move(places)) {}
  // Of an image in memory.
  Module(std::string name, symbols::ElfImage image);

  const std::string& path() const { return identity_.path; }
  const FileIdentity& identity() const { return identity_; }

  // Hexadecimal; empty where the file has none, or cannot be read any more.
  std::string build_id();

  // Null without call frame information.
  CfiTable* frames() {
    if (!is_read_) read();
    return frames_ ? &*frames_ : nullptr;
  }
  // As ElfImage::address_of.
  std::optional<std::uint64_t> address_of(std::uint64_t file_offset) const {
    for (const symbols::Segment& each : code_)
      if (file_offset >= each.offset && file_offset - each.offset < each.size)
        return file_offset - each.offset + each.address;
    return {};
  }
  // Why there is no call frame information; empty where there is.
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

// The code of all processes that one unwinder serves: of files, and of JIT compilers.
class Modules {
 public:
  explicit Modules(FilePlaces places = {}) : places_(std::move(places)) {}

  std::shared_ptr<Module> find(const FileIdentity& identity);
  // This kernel maps the same one into every process, so ours serves. Null if there is none.
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
