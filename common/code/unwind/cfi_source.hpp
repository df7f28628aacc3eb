// Call frame information, read by libdw for one instruction at a time. This is slow, so CfiTable
// caches the results.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/code/symbols/elf_image.hpp"
#include "common/code/unwind/frame_rules.hpp"

namespace prof::unwind {

// The sections that describe a module's frames. Each may be empty.
struct FrameSections {
  symbols::Section header;       // .eh_frame_hdr
  symbols::Section eh_frame;     // .eh_frame
  symbols::Section debug_frame;  // .debug_frame

  static FrameSections of(const symbols::ElfImage& image);
  bool is_empty() const { return !eh_frame.is_there() && !debug_frame.is_there(); }
  std::size_t size() const {
    return header.bytes.size() + eh_frame.bytes.size() + debug_frame.bytes.size();
  }
};

// Only one thread may use an object at a time.
class CfiSource {
 public:
  // Copies the sections to an ELF file in memory, which libdw reads. libdw sees nothing else of the
  // module, and no descriptor stays open.
  explicit CfiSource(const FrameSections& sections);
  CfiSource(CfiSource&&) noexcept;
  CfiSource& operator=(CfiSource&&) noexcept;
  ~CfiSource();

  // Returns the rules at a linked address. Returns nothing if there is no description, or one that
  // does not fit this processor.
  std::optional<FrameRow> find(std::uint64_t address) const;
  // Returns the number of bytes of the sections, without libdw's own memory.
  std::size_t memory() const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace prof::unwind
