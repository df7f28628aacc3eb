// Loads the library into a running process and makes that process join a session or leave it again.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "common/base/result.hpp"

namespace prof::attach {

struct Outcome {
  std::uint64_t stopped_ns = 0;   // longest stop of a thread
  std::uint64_t attempts = 0;     // times that a thread was stopped, but was not at a safe point
  std::uint64_t patched = 0;      // function pointers that lead to prof
  std::uint64_t nvtx_tables = 0;  // function tables of NVTX that lead to prof
};

// True if prof can attach on this processor. If not, the other functions fail.
bool can_attach();

// `library` is libprof_inject.so, `session` the session's directory. attach() and detach() run in a
// separate process, which traces the program meanwhile. If that process is killed, the program goes
// on.
base::Result<Outcome> attach(pid_t process, const std::string& library, const std::string& session);
// Does nothing if the process is not attached to.
base::Result<Outcome> detach(pid_t process, const std::string& library);

// True if the process is attached to, by this prof or another one.
bool is_attached(pid_t process);

// True if some functions of the process may lead to prof: it is attached to, prof is attaching to
// it, or it was forked while prof attached to its parent.
bool is_attached_in_part(pid_t process);

}  // namespace prof::attach
