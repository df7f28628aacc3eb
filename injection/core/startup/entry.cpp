#include <sys/single_threaded.h>

#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/foreign_threads.hpp"
#include "injection/core/gate.hpp"
#include "injection/core/join/session.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/rank_variables.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/stack_copy.hpp"
#include "injection/core/record/thread_exit.hpp"
#include "injection/core/single_threaded.hpp"
#include "injection/core/startup/environment.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/core/symbols/next_symbol.hpp"
#include "injection/core/symbols/real_symbol.hpp"
#include "injection/core/thinning/thinning.hpp"

// Weak: only glibc 2.32 and later has it.
#pragma weak __libc_single_threaded

namespace prof::core {

namespace {
constinit const char kUnknown = 0;
}  // namespace

constinit const char* g_single_threaded = &kUnknown;

namespace {

void load(char** environment) {
  if (&__libc_single_threaded != nullptr) g_single_threaded = &__libc_single_threaded;
  prepare_real_symbols();
  // Does not use getenv(): shells define their own getenv, with their own environment.
  const char* session = variable(environment, wire::kSessionVariable);
  const char* library = library_path();
  set_gates();
  if (session == nullptr || *session == '\0' || library == nullptr || g_process.loaded_late) return;
  const std::uint64_t start = wire::read_ticks();
  create_thread_exit_key();
  prepare_pointer_check();
  join_session(session, library);
  set_gates();
  if (live_word() < wire::kFirstSerial) return;
  if (!g_process.wipe_on_fork) report(wire::DiagnosticCode::kWipeOnForkMissing, 0);
  adopt_thread();
  send_rank_variables(environment);
  if (g_process.use_tsc) report_overhead(wire::OverheadKind::kProcessStart, start, now());
}

// Everything that needs a system call is done here, before the program can install seccomp filters,
// change its root directory, or drop privileges.
[[gnu::constructor(101)]] void on_load(int, char** arguments, char** environment) {
  if (&mark_loaded != nullptr) mark_loaded();
  set_main_stack_end(arguments);
  load_once(environment);
}

// Runs at exit(). A fork child that has recorded nothing introduces itself before it ends.
[[gnu::destructor]] void on_exit() {
  end_thinning();
  introduce_fork_child();
  send_current_rank_variables();
}

}  // namespace

bool join_late(const char* session) {
  static bool prepared;
  const char* library = library_path();
  if (library == nullptr) return false;
  if (!prepared) {
    create_thread_exit_key();
    prepare_pointer_check();
    prepared = true;
  }
  join_session(session, library);
  set_gates();
  return live_word() >= wire::kFirstSerial;
}

void load_once(char** environment) {
  // musl's loader also preloads this library. There the wrappers only forward calls: constructors
  // get no arguments, and the memory layouts that we read are those of glibc.
  if (!runs_on_glibc()) return;
  // The environment is null before libc is initialised: a sanitizer's runtime calls wrappers that
  // early.
  if (environment == nullptr) return;
  // The load comes first, because a fork child would have to copy the page if it wrote to it.
  if (!g_process.loaded.load(std::memory_order_relaxed) && !g_process.loaded.exchange(true))
    load(environment);
}

}  // namespace prof::core
