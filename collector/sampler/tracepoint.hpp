// The kernel's tracepoints, as tracefs describes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collector/base/result.hpp"

namespace prof::sampler {

struct Tracepoint {
  std::uint32_t id = 0;
  std::string format;  // names and places of the fields of its records

  // Where an 8-byte field lies in a record.
  base::Result<std::uint32_t> offset_of(const std::string& field) const;
};

// Where tracefs is mounted, as a rule.
std::vector<std::string> tracefs_roots();

// Reads the description of a tracepoint ("raw_syscalls/sys_enter"). The error says what would help.
base::Result<Tracepoint> find_tracepoint(const std::string& name,
                                         const std::vector<std::string>& roots = tracefs_roots());

}  // namespace prof::sampler
