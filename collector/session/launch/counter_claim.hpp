// Keeps recordings apart that use the counters of one GPU in ways that do not go together. A
// program with --pc-sampling crashed while prof kernel counted in another process on its GPU
// (CUDA 13.0).
#pragma once

#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

// Held as long as the recording. Other prof processes of the machine and its network namespace see
// it, and the kernel ends it with the process.
class CounterClaim {
 public:
  // Claims the GPUs that the program can see, if the options use their counters. Fails if a
  // recording of the other kind has one of them.
  static base::Result<CounterClaim> make(const SessionOptions& options);

 private:
  std::vector<base::UniqueFd> sockets_;  // one for each GPU
};

}  // namespace prof::session
