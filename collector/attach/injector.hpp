// Loads the library into a process that runs and makes it join a session, and makes it leave again.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "common/base/result.hpp"

namespace prof::attach {

struct Outcome {
  std::uint64_t stopped_ns = 0;   // of the one thread that was stopped longest at a time
  std::uint64_t attempts = 0;     // threads that were stopped, and let go at an unsafe point
  std::uint64_t patched = 0;      // function pointers that lead to prof
  std::uint64_t nvtx_tables = 0;  // function tables of NVTX that lead to prof
};

// Is that possible with this processor? If not, the other functions fail.
bool can_attach();

// `library` is libprof_inject.so, `session` the session's directory. Both run in a process of their
// own, which traces the program for as long as it takes; if that one is killed, the program goes
// on.
base::Result<Outcome> attach(pid_t process, const std::string& library, const std::string& session);
// Does nothing in a process that is not attached to.
base::Result<Outcome> detach(pid_t process, const std::string& library);

// Is the process attached to, by this prof or another one?
bool is_attached(pid_t process);

// Is it attached to, is prof attaching to it, or was it forked while prof attached to its parent?
// Then some of its functions may lead to prof.
bool is_attached_in_part(pid_t process);

}  // namespace prof::attach
