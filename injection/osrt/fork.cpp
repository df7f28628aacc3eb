// Functions like fork return twice. Only the return in the parent ends the call.
#include <pty.h>
#include <unistd.h>

#include "injection/core/doors.hpp"
#include "injection/core/join/session.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/osrt/functions.hpp"

namespace {

void forget_parent() {
  if (!prof::core::forget_parent())
    prof::core::report(prof::wire::DiagnosticCode::kWipeOnForkMissing, 0);
}

template <class Fork>
pid_t forked(prof::core::Function function, Fork real) {
  if (!prof::core::has_libc_pointer()) {
    const pid_t child = real();
    if (child == 0) prof::core::forget_parent();
    return child;
  }
  prof::core::look_up_for_children();
  prof::core::prepare_to_fork();
  const prof::core::Call call = prof::core::begin_call();
  const pid_t child = real();
  if (child == 0) {
    forget_parent();
    // A sampled child may never record an event at which it would introduce itself.
    if (prof::core::has_feature(prof::wire::kFeaturePythonSampling |
                                prof::wire::kFeatureCpuSampling))
      prof::core::introduce_fork_child();
    prof::core::leave_call(call);
  } else if (prof::core::records_calls()) {
    prof::core::end_call(call, function, child);
  } else {
    prof::core::leave_call(call);
  }
  return child;
}

}  // namespace

#define OSRT_FORK(symbol, name, params, args)                                 \
  PROF_REAL_SLOT(symbol, nullptr)                                             \
  PROF_WRAPPER(symbol, pid_t, params) {                                       \
    const auto real = PROF_REAL(symbol, pid_t, params);                       \
    return forked(OSRT_FUNCTION(name), [&]() -> pid_t { return real args; }); \
  }

OSRT_FORK(fork, fork, (), ())
OSRT_FORK(__fork, fork, (), ())
OSRT_FORK(_Fork, _Fork, (), ())
OSRT_FORK(forkpty, forkpty, (int* master, char* name, const termios* terminal, const winsize* size),
          (master, name, terminal, size))
