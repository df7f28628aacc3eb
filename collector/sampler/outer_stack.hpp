// Reads the outer part of stacks that are deeper than the kernel's copy. It is read from the
// process a little later, while the process runs. It is valid if the function at the border has not
// returned, because its callers cannot change before that. So both parts are compared where they
// overlap.
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
  // Returns the copied stack and the part above it, valid until the next call. Empty if the part
  // above can no longer be read. `base`: address of the first byte.
  std::span<const std::byte> complete(pid_t pid, pid_t tid, std::uint64_t base,
                                      std::span<const std::byte> copied);

 private:
  // The outer stack of a thread when it was last read.
  struct Region {
    pid_t tid = 0;
    std::uint64_t base = 0;
    std::vector<std::byte> bytes;
  };
  static bool agrees(const Region& region, std::uint64_t address, std::span<const std::byte> bytes);
  static void read(pid_t pid, std::uint64_t address, Region& region);
  Region& region_of(pid_t tid);

  std::list<Region> regions_;  // the region that was used last comes first
  std::unordered_map<pid_t, std::list<Region>::iterator> by_thread_;
  std::vector<std::byte> joined_;
};

}  // namespace prof::sampler
