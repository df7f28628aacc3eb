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

#include "common/code/symbols/elf_image.hpp"
#include "common/code/unwind/cfi_table.hpp"
#include "common/code/unwind/jit_code.hpp"
#include "common/code/unwind/process_maps.hpp"

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

// The folders where files are searched.
struct FilePlaces {
  std::string root;  // prefix of each path: "/proc/PID/root" for a program in a container
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
};

// A file with code. It is read at its first use; a file that is not at its path is opened when it
// is mapped. If the file cannot be found, there is no call frame information. Only one thread may
// use an object at a time.
class Module {
 public:
  Module(FileIdentity identity, FilePlaces places)
      : identity_(std::move(identity)), places_(std::move(places)) {}
  // Makes the module of a file that is not at its path. The file stays open, because there may soon
  // be no other way to it.
  Module(FileIdentity identity, FilePlaces places, std::optional<symbols::ElfImage> file)
      : identity_(std::move(identity)),
        places_(std::move(places)),
        is_at_path_(false),
        file_(std::move(file)) {}
  // Makes the module of an image in memory.
  Module(std::string name, symbols::ElfImage image);

  const std::string& path() const { return identity_.path; }
  const FileIdentity& identity() const { return identity_; }

  // When the file was modified before it was mapped, in ns since 1970; 0: unknown.
  std::int64_t modified() const { return modified_; }
  void set_modified(std::int64_t time) { modified_ = time; }
  bool is_at_path() const { return is_at_path_; }
  // Returns the path by which prof can read the file. Empty if the file is not at its path and
  // could not be opened.
  std::string readable_path() const;

  // Returns the build-id in hexadecimal. Empty if the file has none or cannot be read any more.
  std::string build_id();

  // Returns the call frame information, or null.
  CfiTable* frames() {
    if (!is_read_) read();
    return frames_ ? &*frames_ : nullptr;
  }
  // Same as ElfImage::address_of().
  std::optional<std::uint64_t> address_of(std::uint64_t file_offset) const {
    for (const symbols::Segment& each : code_)
      if (file_offset >= each.offset && file_offset - each.offset < each.size)
        return file_offset - each.offset + each.address;
    return {};
  }
  // The reason why there is no call frame information, or empty.
  const std::string& problem() const { return problem_; }

 private:
  base::Result<symbols::ElfImage> open() const;
  void read();
  void take(symbols::ElfImage& image);
  void add_debug_frame(const symbols::ElfImage& image, FrameSections& sections) const;

  FileIdentity identity_;
  FilePlaces places_;
  bool is_at_path_ = true;
  std::int64_t modified_ = 0;
  std::optional<symbols::ElfImage> file_;  // kept open
  bool is_read_ = false;
  std::vector<symbols::Segment> code_;
  std::optional<CfiTable> frames_;
  std::string problem_;
};

// The modules of all processes that one unwinder serves, and the code of their JIT compilers.
class Modules {
 public:
  explicit Modules(FilePlaces places = {}) : places_(std::move(places)) {}

  // Returns the module of a file that process `pid` (0: unknown) has mapped. Returns null if the
  // mapping has no file with code: memory of a JIT compiler can have the name of a file, too.
  std::shared_ptr<Module> find(const MapEvent& mapping, pid_t pid);
  // Returns the module of the vdso, or null. The kernel maps the same vdso into every process, so
  // prof's own is used.
  std::shared_ptr<Module> vdso();

  JitCodes& jit() { return jit_; }

 private:
  std::shared_ptr<Module> make(const FileIdentity& identity, const MapEvent& mapping, pid_t pid);

  FilePlaces places_;
  std::map<FileIdentity, std::shared_ptr<Module>> modules_;
  std::size_t kept_open_ = 0;
  std::shared_ptr<Module> vdso_;
  bool has_looked_for_vdso_ = false;
  JitCodes jit_;
};

}  // namespace prof::unwind
