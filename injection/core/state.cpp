// The variables that live.hpp, process_state.hpp and thread_state.hpp declare.
#include "injection/core/layout.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::core {

[[gnu::section(".bss.wiped")]] constinit LivePage g_live{};
// Constant-initialised: our constructor fills it in, and a dynamic initialiser could run later.
PROF_WRITTEN_FIRST constinit ProcessState g_process{};
__thread ThreadState t_state __attribute__((tls_model("initial-exec")));

}  // namespace prof::core
