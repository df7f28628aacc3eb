#include "common/code/unwind/address_spaces.hpp"

#include <limits>
#include <string>
#include <utility>

namespace prof::unwind {

void AddressSpaces::fork(pid_t parent, pid_t child, std::uint64_t time) {
  if (parent == child) return;  // a new thread, not a process
  spaces_.insert_or_assign(child, find(parent).forked(child, time));
  ended_.erase(child);
}

void AddressSpaces::exec(pid_t pid, std::uint64_t time) {
  known(pid).remove(0, std::numeric_limits<std::uint64_t>::max(), time);
  modules_.jit().exec(pid, time);
}

void AddressSpaces::end(pid_t pid, std::uint64_t time) { ended_[pid] = time; }

const ModuleMap& AddressSpaces::find(pid_t pid) {
  const auto [space, is_new] = spaces_.try_emplace(pid, modules_, pid);
  if (is_new)
    if (const auto events = read_process_maps(std::to_string(pid)))
      for (const MapEvent& each : *events)
        if (each.executable) space->second.add(each);
  return space->second;
}

void AddressSpaces::forget_before(std::uint64_t time) {
  for (auto ended = ended_.begin(); ended != ended_.end();) {
    if (ended->second >= time) {
      ++ended;
      continue;
    }
    spaces_.erase(ended->first);
    ended = ended_.erase(ended);
  }
  for (auto& [pid, space] : spaces_) space.forget_before(time);
  modules_.jit().forget_before(time);
}

}  // namespace prof::unwind
