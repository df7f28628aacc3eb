// What a process maps: as perf's MMAP2 records tell it, and as /proc/PID/maps shows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/base/result.hpp"

namespace prof::unwind {

struct MapEvent {
  std::uint64_t time = 0;  // on any clock, as long as it is one
  std::uint64_t start = 0, length = 0;
  std::uint64_t offset = 0;  // in the file
  bool executable = true;
  std::uint64_t device = 0, inode = 0;  // 0: not known
  std::string build_id;                 // hexadecimal; empty: not known
  std::string path;  // as the kernel names it: "[vdso]", "//anon", "/a (deleted)"
};

// Lines that do not parse are left out. All events get the time.
std::vector<MapEvent> parse_process_maps(std::string_view text, std::uint64_t time = 0);
// `process` is a PID or "self".
base::Result<std::string> read_process_maps_text(const std::string& process);
base::Result<std::vector<MapEvent>> read_process_maps(const std::string& process,
                                                      std::uint64_t time = 0);

}  // namespace prof::unwind
