// What we need to know of an ELF file: where its segments lie, its build-id, its debug link and the
// content of single sections. The file is not trusted, and may change while we read: everything is
// read into memory of ours (no mapping, which a truncation would turn into SIGBUS) and bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"

struct Elf;

namespace prof::symbols {

using Bytes = std::vector<std::byte>;

struct Segment {
  std::uint64_t offset = 0;
  std::uint64_t address = 0;  // as linked, before the loader's bias
  std::uint64_t size = 0;     // in the file
  bool executable = false;
};

struct Section {
  std::uint64_t address = 0;
  Bytes bytes;
  bool is_there() const { return !bytes.empty(); }
};

// The file that has the debug sections of another one, by .gnu_debuglink.
struct DebugLink {
  std::string name;
  std::uint32_t crc = 0;
};

// One thread at a time.
class ElfImage {
 public:
  // x86-64 executables and libraries only; a FIFO or device is refused, not waited for.
  static base::Result<ElfImage> open(const std::string& path);
  // Of an image in memory, as the vdso is.
  static base::Result<ElfImage> copy(std::span<const std::byte> bytes);

  const std::vector<Segment>& segments() const { return segments_; }
  // The linked address of what lies at that offset of the file; none outside of the segments.
  std::optional<std::uint64_t> address_of(std::uint64_t file_offset) const;

  // Hexadecimal; empty without one.
  std::string build_id() const;
  std::optional<DebugLink> debug_link() const;
  // Decompressed; empty where there is none, or only a place-holder in a debug file.
  Section section(const char* name) const;
  // .eh_frame and .eh_frame_hdr by the program header, for files without section headers.
  Section frame_header_segment() const;
  // Up to `size` bytes of the segment that holds the address.
  Section bytes_at(std::uint64_t address, std::uint64_t size) const;

  std::uint64_t device() const { return device_; }
  std::uint64_t inode() const { return inode_; }
  // Of what was opened; none of what was copied.
  base::UniqueFd duplicate_file() const;
  // Reads no more: releases the file.
  void close();

 private:
  struct Ender {
    void operator()(Elf* elf) const;
  };
  base::Status load();

  base::UniqueFd file_;
  Bytes memory_;
  std::unique_ptr<Elf, Ender> elf_;  // reads file_ or memory_, so it goes first
  std::vector<Segment> segments_;
  std::uint64_t size_ = 0, device_ = 0, inode_ = 0;
};

}  // namespace prof::symbols
