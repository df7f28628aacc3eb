// The kernel's tracepoints, as tracefs describes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::sampler {

struct Tracepoint {
  std::uint32_t id = 0;
  std::string format;  // names and offsets of the fields of the tracepoint's records

  // Returns the offset of an 8-byte field in a record.
  base::Result<std::uint32_t> offset_of(const std::string& field) const;
};

// Returns where tracefs is usually mounted.
std::vector<std::string> tracefs_roots();

// Reads the description of a tracepoint such as "raw_syscalls/sys_enter". An error says what would
// help.
base::Result<Tracepoint> find_tracepoint(const std::string& name,
                                         const std::vector<std::string>& roots = tracefs_roots());

// Returns the tracepoints that a name such as "sched/sched_switch" means: "sched/*" means all of a
// subsystem. An error says what would help.
base::Result<std::vector<std::string>> matching_tracepoints(
    const std::string& name, const std::vector<std::string>& roots = tracefs_roots());

}  // namespace prof::sampler
