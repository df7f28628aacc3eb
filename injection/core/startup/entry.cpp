
#include <dlfcn.h>

#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/foreign_threads.hpp"
#include "injection/core/join/session.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/ring_writer.hpp"
#include "injection/core/record/stack_copy.hpp"
#include "injection/core/record/thread_exit.hpp"
#include "injection/core/startup/environment.hpp"
#include "injection/core/symbols/next_symbol.hpp"
#include "injection/core/symbols/real_symbol.hpp"

// Weak: only glibc has it.
#pragma weak dlvsym

namespace prof::core {

namespace {

// musl's loader also preloads this library. There the wrappers only forward calls: constructors get
// no arguments, and the memory layouts that we read are those of glibc.
bool runs_on_glibc() { return &dlvsym != nullptr; }

void load(char** environment) {
  prepare_real_symbols();
  // Not getenv(): shells define their own, with their own environment.
  const char* session = variable(environment, wire::kSessionVariable);
  const char* library = library_path();
  if (session == nullptr || library == nullptr) return;
  const std::uint64_t start = __rdtsc();
  create_thread_exit_key();
  find_rdfsbase();
  join_session(session, library);
  if (live_word() < wire::kFirstSerial) return;
  if (!g_process.wipe_on_fork) report(wire::DiagnosticCode::kWipeOnForkMissing, 0);
  adopt_thread();
  if (g_process.use_tsc) report_overhead(wire::OverheadKind::kProcessStart, start, now());
}

// Everything that needs a system call is done here, before the program can install seccomp filters,
// change its root directory, or drop privileges.
[[gnu::constructor(101)]] void on_load(int, char** arguments, char** environment) {
  set_main_stack_end(arguments);
  load_once(environment);
}

// At exit(): a fork child that recorded nothing introduces itself before it is gone.
[[gnu::destructor]] void on_exit() { introduce_fork_child(); }

}  // namespace

void load_once(char** environment) {
  if (!runs_on_glibc()) return;
  // Null before libc is initialised: a sanitizer's runtime calls wrappers that early.
  if (environment == nullptr) return;
  if (!g_process.loaded.exchange(true)) load(environment);
}

}  // namespace prof::core
