
#include <dlfcn.h>

#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/join/session.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/ring_writer.hpp"
#include "injection/core/record/stack_copy.hpp"
#include "injection/core/record/thread_exit.hpp"
#include "injection/core/startup/environment.hpp"
#include "injection/core/symbols/next_symbol.hpp"
#include "injection/core/symbols/real_symbol.hpp"

// Missing where the C library is another than glibc.
#pragma weak dlvsym

namespace prof::core {

namespace {

// musl's loader takes our library for a preload of its own, and binds what it knows. There we only
// pass calls on: constructors get no arguments, and the layouts we read are glibc's.
bool runs_on_glibc() { return &dlvsym != nullptr; }

void load(char** environment) {
  prepare_real_symbols();
  // From the kernel's own copy: shells override getenv() and keep their own environ (pitfall 4.32).
  const char* session = variable(environment, wire::kSessionVariable);
  const char* library = library_path();
  if (session == nullptr || library == nullptr) return;
  const std::uint64_t start = __rdtsc();
  create_thread_exit_key();
  join_session(session, library);
  if (live_word() < wire::kFirstSerial) return;
  if (!g_process.wipe_on_fork) report(wire::DiagnosticCode::kWipeOnForkMissing, 0);
  adopt_thread();
  if (g_process.use_tsc) report_overhead(wire::OverheadKind::kProcessStart, start, now());
}

// Everything that needs a system call happens here, before the program can install seccomp filters,
// change its root or drop privileges.
[[gnu::constructor(101)]] void on_load(int, char** arguments, char** environment) {
  set_main_stack_end(arguments);
  load_once(environment);
}

// exit() in a fork child that recorded nothing: it is told of before it is gone.
[[gnu::destructor]] void on_exit() { introduce_fork_child(); }

}  // namespace

void load_once(char** environment) {
  if (!runs_on_glibc()) return;
  if (environment == nullptr) return;  // libc itself is not up yet (a sanitizer's runtime is)
  if (!g_process.loaded.exchange(true)) load(environment);
}

}  // namespace prof::core
