// Decodes .debug_line of a cubin: the source line of each machine instruction, and where inlined
// functions were called. The format is DWARF 2 with one opcode of NVIDIA's, so common libraries do
// not see inlined calls. The section is not trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prof::cubin {

// An address in the section that a linker fills in. The numbers of sections are those of the ELF
// file.
struct LineAddress {
  std::uint64_t place = 0;  // in .debug_line
  std::uint32_t section = 0;
  std::uint64_t offset = 0;  // in the section, without what is stored at `place`
  bool adds_stored = false;  // the number at `place` is added to it
};

// The line of an instruction and of those after it, up to the next row.
struct LineRow {
  std::uint64_t offset = 0;  // in the section
  std::uint32_t file = 0;    // for LineProgram::file
  std::uint32_t line = 0;    // 0: unknown
  // One more than the number of the row where the function of this row was called; 0 if it is not
  // an inlined function.
  std::uint32_t caller = 0;
  std::uint32_t function = 0;  // the inlined function: the place of its name in .debug_str
};

class LineProgram {
 public:
  // Decodes a section. `addresses` are sorted by place. What is damaged is left out.
  void decode(std::span<const std::byte> debug_line, std::span<const LineAddress> addresses);

  // Returns the row that is valid at an offset of a section, or null.
  const LineRow* find(std::uint32_t section, std::uint64_t offset) const;
  // Returns the row of the call of an inlined function, or null. It comes before `row`, so a chain
  // of callers ends.
  const LineRow* caller_of(const LineRow& row) const;
  // Returns the path as the compiler wrote it, with its folder; empty if it is unknown.
  std::string file(std::uint32_t number) const;
  std::size_t size() const { return rows_.size(); }

 private:
  friend class LineDecoder;
  struct File {
    std::string_view folder, name;
  };
  // Rows of one section without gaps, in the order of their offsets.
  struct Run {
    std::uint64_t start = 0, end = 0;
    std::size_t first = 0, last = 0;  // rows
  };
  void add_run(std::uint32_t section, const Run& run);

  std::vector<LineRow> rows_;
  std::vector<File> files_;
  std::map<std::uint32_t, std::vector<Run>> runs_;  // by section, then sorted by start
};

}  // namespace prof::cubin
