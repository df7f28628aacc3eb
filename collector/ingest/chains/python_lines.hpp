// Line numbers from the tables in Python's code objects, in the format of the version: co_lnotab
// (to 3.9), the line table of PEP 626 (3.10), the location table (from 3.11).
#pragma once

#include <cstdint>
#include <span>

namespace prof::ingest {

struct PythonLines {
  std::uint16_t version;     // python_frames::python_version()
  std::uint32_t first_line;  // first line of the function
  std::span<const std::byte> table;

  // Returns the line of the instruction at an offset in the bytecode, in bytes. An instruction
  // without a line gets the line of the instruction before. An offset outside of the table gets the
  // function's first line.
  std::int64_t line_at(std::uint32_t offset) const;
};

}  // namespace prof::ingest
