// Reads the mappings of a process from perf's MMAP2 records or from /proc/PID/maps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace prof::unwind {

struct MapEvent {
  std::uint64_t time = 0;  // all events must use the same clock
  std::uint64_t start = 0, length = 0;
  std::uint64_t offset = 0;  // in the file
  bool executable = true;
  std::uint64_t device = 0, inode = 0;  // 0: unknown
  std::string build_id;                 // hexadecimal; empty: unknown
  std::string path;                     // in the kernel's form: "[vdso]", "//anon", "/a (deleted)"
  // True if the process may have inherited the mapping from the process it was forked from. False
  // if the kernel reported the mapping when it was made.
  bool may_be_inherited = false;
};

// Parses the text of /proc/PID/maps. Skips lines that do not parse. All events get `time`.
std::vector<MapEvent> parse_process_maps(std::string_view text, std::uint64_t time = 0);
// Returns the text of /proc/`process`/maps. `process` is a PID or "self".
base::Result<std::string> read_process_maps_text(const std::string& process);
base::Result<std::vector<MapEvent>> read_process_maps(const std::string& process,
                                                      std::uint64_t time = 0);

}  // namespace prof::unwind
