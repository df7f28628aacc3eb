// Lines of Python functions from the tables that code objects carry, in the format of their
// version: co_lnotab (to 3.9), the line table of PEP 626 (3.10), the location table (from 3.11).
#pragma once

#include <cstdint>
#include <span>

namespace prof::ingest {

struct PythonLines {
  std::uint16_t version;     // python_frames::python_version()
  std::uint32_t first_line;  // of the function
  std::span<const std::byte> table;

  // Of the instruction at an offset in the bytecode (bytes). What has no line of its own gets that
  // of what comes before; what lies outside of the table, the function's.
  std::int64_t line_at(std::uint32_t offset) const;
};

}  // namespace prof::ingest
