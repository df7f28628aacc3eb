// Whether a GPU has had no work for too long.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace prof::session {

class IdleWatch {
 public:
  // `longest`: idle time that is right, ns. `late`: ns after which work has been reported.
  IdleWatch(std::uint64_t longest, std::uint64_t late) : longest_(longest), late_(late) {}

  // Work of a GPU, in any order; CLOCK_MONOTONIC_RAW, ns.
  void add(std::uint32_t device, std::uint64_t start, std::uint64_t end);

  struct Idle {
    std::uint32_t device;
    std::uint64_t begin, end;  // so far
  };
  // Each idle time once.
  std::vector<Idle> check(std::uint64_t now);

 private:
  struct Device {
    std::uint64_t busy_until = 0;
    bool has_fired = false;  // for the time since then
    std::vector<std::pair<std::uint64_t, std::uint64_t>> work;
  };
  std::uint64_t longest_;
  std::uint64_t late_;
  std::map<std::uint32_t, Device> devices_;
};

}  // namespace prof::session
