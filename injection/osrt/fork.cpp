// fork returns twice; only the parent's return is the end of the call.
#include <unistd.h>

#include "injection/core/session.hpp"
#include "injection/core/wrap.hpp"
#include "injection/osrt/functions.hpp"

PROF_REAL_SLOT(fork, nullptr)
PROF_WRAPPER(fork, pid_t, ()) {
  const auto real = PROF_REAL(fork, pid_t, ());
  const prof::core::Call call = prof::core::begin_call();
  const pid_t child = real();
  if (child == 0) {
    prof::core::forget_parent();
    prof::core::leave_call(call);
  } else if (prof::core::records_calls()) {
    prof::core::end_call(call, OSRT_FUNCTION(fork), child);
  } else {
    prof::core::leave_call(call);
  }
  return child;
}
