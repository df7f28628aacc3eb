// Records which code is mapped in each process, from perf's records.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <unordered_map>

#include "common/code/unwind/module_map.hpp"

namespace prof::unwind {

// All times are of one clock, which the caller chooses. The caller reports the events of a process
// in the order of their times, and asks about a time only after it has reported all earlier events.
class AddressSpaces {
 public:
  explicit AddressSpaces(FilePlaces places = {}) : modules_(std::move(places)) {}

  // The child starts with a copy of the parent's mappings.
  void fork(pid_t parent, pid_t child, std::uint64_t time);
  // Ends all mappings of the process.
  void exec(pid_t pid, std::uint64_t time);
  void map(pid_t pid, const MapEvent& event) { known(pid).add(event); }
  // The process ended at `time`. Nobody asks about it at a later time.
  void end(pid_t pid, std::uint64_t time);

  // Returns the mappings of a process. If the process had no event, its mappings are read from
  // /proc, and count for all times.
  const ModuleMap& find(pid_t pid);

  // Releases processes and mappings that ended before `time`.
  void forget_before(std::uint64_t time);

  Modules& modules() { return modules_; }

 private:
  ModuleMap& known(pid_t pid) { return spaces_.try_emplace(pid, modules_, pid).first->second; }

  Modules modules_;
  std::unordered_map<pid_t, ModuleMap> spaces_;
  std::unordered_map<pid_t, std::uint64_t> ended_;
};

}  // namespace prof::unwind
