// Names of code that JIT compilers made, by address and time, as notes of a recording tell of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/symbols/code_history.hpp"

namespace prof::ingest {

class JitNames {
 public:
  explicit JitNames(std::span<const nlohmann::json> notes);

  bool is_empty() const { return names_.empty(); }

  // Number of the code that is there, from 1; 0 if that is not known. `time`: CLOCK_MONOTONIC_RAW,
  // ns.
  std::uint32_t find(pid_t pid, std::uint64_t address, std::uint64_t time) const;
  const std::string& name(std::uint32_t code) const { return names_[code - 1]; }

 private:
  struct Event;
  static void read_code(const nlohmann::json& note, std::vector<Event>& events);
  void apply(const Event& event);

  std::vector<std::string> names_;
  std::unordered_map<pid_t, symbols::CodeHistory> processes_;
};

}  // namespace prof::ingest
