// The code that is mapped in each process, as perf's records tell of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <unordered_map>

#include "collector/unwind/module_map.hpp"

namespace prof::unwind {

// Times are on one clock of the caller's. Events of one process come in the order of their times,
// and before what needs to know of them.
class AddressSpaces {
 public:
  explicit AddressSpaces(FilePlaces places = {}) : modules_(std::move(places)) {}

  // The child begins with a copy.
  void fork(pid_t parent, pid_t child, std::uint64_t time);
  // All that was mapped is gone.
  void exec(pid_t pid, std::uint64_t time);
  void map(pid_t pid, const MapEvent& event) { known(pid).add(event); }
  // Nothing of the process that is later than `time` will be asked for.
  void end(pid_t pid, std::uint64_t time);

  // Of a process that nobody told of, what /proc shows now is taken for what was always there.
  const ModuleMap& find(pid_t pid);

  // Lets go of processes, and of mappings, that had ended by then.
  void forget_before(std::uint64_t time);

  Modules& modules() { return modules_; }

 private:
  ModuleMap& known(pid_t pid) { return spaces_.try_emplace(pid, modules_, pid).first->second; }

  Modules modules_;
  std::unordered_map<pid_t, ModuleMap> spaces_;
  std::unordered_map<pid_t, std::uint64_t> ended_;
};

}  // namespace prof::unwind
