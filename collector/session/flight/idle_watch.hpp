// Detects that a GPU has had no work for too long.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace prof::session {

class IdleWatch {
 public:
  // `longest`: the longest idle time that is acceptable, ns. `late`: time until work has been
  // reported, ns.
  IdleWatch(std::uint64_t longest, std::uint64_t late) : longest_(longest), late_(late) {}

  // Adds work of a GPU, in any order; CLOCK_MONOTONIC_RAW, ns.
  void add(std::uint32_t device, std::uint64_t start, std::uint64_t end);

  struct Idle {
    std::uint32_t device;
    std::uint64_t begin, end;  // `end`: end of the idle time so far
  };
  // Returns each idle time once.
  std::vector<Idle> check(std::uint64_t now);

 private:
  struct Device {
    std::uint64_t busy_until = 0;
    bool has_fired = false;  // the present idle time was already returned
    std::vector<std::pair<std::uint64_t, std::uint64_t>> work;
  };
  std::uint64_t longest_;
  std::uint64_t late_;
  std::map<std::uint32_t, Device> devices_;
};

}  // namespace prof::session
