// Names of functions that JIT compilers generated, by address and time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/spool/notes.hpp"
#include "common/code/symbols/code_history.hpp"

namespace prof::ingest {

class JitNames {
 public:
  explicit JitNames(const spool::Notes& notes);

  bool is_empty() const { return names_.empty(); }

  // Returns the number of the function at the address, from 1; 0: not known. `time`:
  // CLOCK_MONOTONIC_RAW, ns.
  std::uint32_t find(pid_t pid, std::uint64_t address, std::uint64_t time) const;
  const std::string& name(std::uint32_t code) const { return names_[code - 1]; }

 private:
  struct Event;
  void apply(const Event& event);

  std::vector<std::string> names_;
  std::unordered_map<pid_t, symbols::CodeHistory> processes_;
};

}  // namespace prof::ingest
