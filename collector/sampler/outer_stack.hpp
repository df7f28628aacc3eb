// The outer part of stacks that are deeper than what the kernel copied. It is read from the process
// a little later, while that runs on. That is right as long as the function at the border has not
// returned, since what called it cannot change before: so the two have to agree where they overlap.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

namespace prof::sampler {

class OuterStack {
 public:
  // The copied stack with what lies above; empty if that cannot be had any more. Valid until the
  // next call. `base`: address of the first byte.
  std::span<const std::byte> complete(pid_t pid, pid_t tid, std::uint64_t base,
                                      std::span<const std::byte> copied);

 private:
  // Of a thread, as it was last read.
  struct Region {
    pid_t tid = 0;
    std::uint64_t base = 0;
    std::vector<std::byte> bytes;
  };
  static bool agrees(const Region& region, std::uint64_t address, std::span<const std::byte> bytes);
  static void read(pid_t pid, std::uint64_t address, Region& region);
  Region& region_of(pid_t tid);

  std::list<Region> regions_;  // the last used first
  std::unordered_map<pid_t, std::list<Region>::iterator> by_thread_;
  std::vector<std::byte> joined_;
};

}  // namespace prof::sampler
