// Call frame information as libdw reads it, asked for one instruction at a time. Slow: CfiTable
// remembers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "collector/symbols/elf_image.hpp"
#include "collector/unwind/frame_rules.hpp"

namespace prof::unwind {

// The sections that a module's frames are described in; any may be empty.
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

// One thread at a time.
class CfiSource {
 public:
  // Libdw gets the sections in an ELF file that is made for it: it sees nothing else of the module,
  // and no descriptor stays open.
  explicit CfiSource(const FrameSections& sections);
  CfiSource(CfiSource&&) noexcept;
  CfiSource& operator=(CfiSource&&) noexcept;
  ~CfiSource();

  // What holds at the address (as linked); none where nothing is described, or not in terms that an
  // unwinder of x86-64 needs.
  std::optional<FrameRow> find(std::uint64_t address) const;
  // Of the sections; what libdw keeps besides comes on top.
  std::size_t memory() const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace prof::unwind
