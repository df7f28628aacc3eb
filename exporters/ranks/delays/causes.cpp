#include "exporters/ranks/delays/causes.hpp"

namespace prof::ranks {

const char* name_of(Cause cause) {
  static constexpr const char* kNames[kCauses] = {
      "sleep",       "data loading",    "lock",
      "network",     "system calls",    "launches",
      "CUDA calls",  "waits for a CPU", "garbage collection",
      "page faults", "CPU code",        "kernels",
      "copies"};
  return kNames[static_cast<std::size_t>(cause)];
}

}  // namespace prof::ranks
