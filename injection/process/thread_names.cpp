// Records names that the program assigns to its threads while they run.
#include <pthread.h>

#include "injection/core/clock.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/core/syscalls.hpp"

PROF_REAL_SLOT(pthread_setname_np, nullptr)
PROF_WRAPPER(pthread_setname_np, int, (pthread_t thread, const char* name)) {
  using namespace prof;
  const int result = PROF_REAL(pthread_setname_np, int, (pthread_t, const char*))(thread, name);
  // The kernel id of another thread is available only in glibc's private structures. The name of
  // such a thread is read when it records for the first time.
  if (result == 0 && thread == pthread_self() && core::g_process.arena != nullptr &&
      !core::g_process.sandboxed.load(std::memory_order_relaxed)) {
    core::append(wire::ThreadNameRecord{
        core::header_of<wire::ThreadNameRecord>(wire::RecordType::kThreadName, core::sys::gettid(),
                                                wire::kThreadNameFromPthread),
        core::now(), core::intern(name)});
  }
  return result;
}
