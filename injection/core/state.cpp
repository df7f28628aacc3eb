// The variables that live.hpp, process_state.hpp and thread_state.hpp declare.
#include "injection/core/layout.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/thread_state.hpp"

// The handle by which glibc knows this library (pthread_atfork). The compiler's start files define
// it, but the library is linked without them. It is weak, because test programs are linked with
// them.
extern "C" {
[[gnu::visibility("hidden"), gnu::weak]] extern void* __dso_handle;
constinit void* __dso_handle = &__dso_handle;
}

namespace prof::core {

[[gnu::section(".bss.wiped")]] constinit LivePage g_live{};
// Constant-initialised, because our constructor fills it in, and a dynamic initialiser could run
// later.
PROF_WRITTEN_FIRST constinit ProcessState g_process{};
__thread ThreadState t_state __attribute__((tls_model("initial-exec")));

}  // namespace prof::core
