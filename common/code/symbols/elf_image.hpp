// Reads the segments, the build-id, the debug link and single sections of an ELF file. The file is
// not trusted and may change meanwhile, so everything is copied and limited in size. The file is
// not mapped, because a truncated mapping raises SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"
#include "common/code/symbols/file_version.hpp"

struct Elf;

namespace prof::symbols {

using Bytes = std::vector<std::byte>;

struct Segment {
  std::uint64_t offset = 0;
  std::uint64_t address = 0;  // as linked, without the loader's bias
  std::uint64_t size = 0;     // in the file
  bool executable = false;
};

struct Section {
  std::uint64_t address = 0;
  Bytes bytes;
  bool is_there() const { return !bytes.empty(); }
};

// The content of .gnu_debuglink: the name and CRC of the file with the debug sections.
struct DebugLink {
  std::string name;
  std::uint32_t crc = 0;
};

// Only one thread may use an object at a time.
class ElfImage {
 public:
  // Opens a file. Accepts only executables and libraries for this processor. Rejects a FIFO or
  // device without waiting.
  static base::Result<ElfImage> open(const std::string& path);
  // Makes an image from memory, such as the vdso.
  static base::Result<ElfImage> copy(std::span<const std::byte> bytes);

  const std::vector<Segment>& segments() const { return segments_; }
  // Returns the linked address of an offset in the file; nothing outside of the segments.
  std::optional<std::uint64_t> address_of(std::uint64_t file_offset) const;

  // Returns the build-id in hexadecimal; empty if there is none.
  std::string build_id() const;
  std::optional<DebugLink> debug_link() const;
  // Returns the section's content, decompressed. Empty if the section is missing or a place-holder
  // in a debug file.
  Section section(const char* name) const;
  // Returns .eh_frame and .eh_frame_hdr by the program header, for files without section headers.
  Section frame_header_segment() const;
  // Returns up to `size` bytes of the segment that holds the address.
  Section bytes_at(std::uint64_t address, std::uint64_t size) const;

  std::uint64_t device() const { return device_; }
  std::uint64_t inode() const { return inode_; }
  // Returns the identity of the file that was opened, with its build-id.
  FileVersion version() const { return {build_id(), inode_, modified_}; }
  // Returns a descriptor of the file that was opened; invalid for a copy.
  base::UniqueFd duplicate_file() const;
  int descriptor() const { return file_.get(); }
  // Closes the file. The segments stay.
  void close();

 private:
  struct Ender {
    void operator()(Elf* elf) const;
  };
  base::Status load();

  base::UniqueFd file_;
  Bytes memory_;
  std::unique_ptr<Elf, Ender> elf_;  // uses file_ or memory_, so it is destroyed first
  std::vector<Segment> segments_;
  std::uint64_t size_ = 0, device_ = 0, inode_ = 0;
  std::int64_t modified_ = 0;
};

}  // namespace prof::symbols
