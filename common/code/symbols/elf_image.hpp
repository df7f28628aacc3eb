// Reads the segments, the build-id, the debug link and single sections of an ELF file. The file is
// not trusted and may change meanwhile. So everything is copied and limited in size. It is not
// mapped, because a truncated mapping raises SIGBUS.
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

// For one thread at a time.
class ElfImage {
 public:
  // Accepts only executables and libraries for this processor. A FIFO or device is rejected without
  // waiting.
  static base::Result<ElfImage> open(const std::string& path);
  // For an image in memory, such as the vdso.
  static base::Result<ElfImage> copy(std::span<const std::byte> bytes);

  const std::vector<Segment>& segments() const { return segments_; }
  // The linked address of an offset in the file; none outside of the segments.
  std::optional<std::uint64_t> address_of(std::uint64_t file_offset) const;

  // Hexadecimal; empty if there is none.
  std::string build_id() const;
  std::optional<DebugLink> debug_link() const;
  // The section's content, decompressed. Empty if it is missing or a place-holder in a debug file.
  Section section(const char* name) const;
  // .eh_frame and .eh_frame_hdr by the program header, for files without section headers.
  Section frame_header_segment() const;
  // Up to `size` bytes of the segment that holds the address.
  Section bytes_at(std::uint64_t address, std::uint64_t size) const;

  std::uint64_t device() const { return device_; }
  std::uint64_t inode() const { return inode_; }
  // Which file was opened, with its build-id.
  FileVersion version() const { return {build_id(), inode_, modified_}; }
  // The file that was opened. Not set for a copy.
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
