#include "injection/core/entry.hpp"

#include <atomic>
#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/core/diagnostics.hpp"
#include "injection/core/next_symbol.hpp"
#include "injection/core/real_symbol.hpp"
#include "injection/core/ring_writer.hpp"
#include "injection/core/session.hpp"
#include "injection/core/thread_exit.hpp"

namespace prof::core {

namespace {

// From the kernel's own copy: shells override getenv() and keep their own environ (pitfall 4.32).
const char* find_variable(char** environment, const char* name) {
  const std::size_t length = std::strlen(name);
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (std::strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
      return *environment + length + 1;
  return nullptr;
}

std::atomic<bool> g_loaded;

void load(char** environment) {
  prepare_real_symbols();
  const char* session = find_variable(environment, wire::kSessionVariable);
  const char* library = library_path();
  if (session == nullptr || library == nullptr) return;
  const std::uint64_t start = __rdtsc();
  create_thread_exit_key();
  join_session(session, library);
  if (live_word() < wire::kFirstSerial) return;
  adopt_thread();
  if (g_process.use_tsc) report_overhead(wire::OverheadKind::kProcessStart, start, now());
}

// Everything that needs a system call happens here, before the program can install seccomp filters,
// change its root or drop privileges.
[[gnu::constructor(101)]] void on_load(int, char**, char** environment) { load_once(environment); }

}  // namespace

void load_once(char** environment) {
  if (environment == nullptr) return;  // libc itself is not up yet (a sanitizer's runtime is)
  if (!g_loaded.exchange(true)) load(environment);
}

}  // namespace prof::core
