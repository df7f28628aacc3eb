// A fork child introduces itself before it has a second thread. The introduction takes a tenth of a
// millisecond, and events of other threads would be dropped meanwhile.
#include <pthread.h>
#include <threads.h>

#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/thread_start.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/osrt/functions.hpp"

namespace {

// Sampled threads introduce themselves when they start.
template <class Start>
prof::core::ThreadStart* take_start(Start start, void* argument) {
  prof::core::ThreadStart* own = prof::core::take_thread_start();
  if (own == nullptr) return nullptr;
  own->start = reinterpret_cast<void*>(start);
  own->argument = argument;
  own->hides_signal = prof::core::has_libc_pointer() && prof::core::t_state.hides_signal;
  return own;
}

}  // namespace

#define OSRT_CREATE(name, result, params, args)                                                  \
  PROF_REAL_SLOT(name, nullptr)                                                                  \
  PROF_WRAPPER(name, int, params) {                                                              \
    ::prof::core::introduce_fork_child();                                                        \
    ::prof::core::ThreadStart* const own = take_start(start, argument);                          \
    if (own != nullptr) {                                                                        \
      start = ::prof::core::run_thread<result>;                                                  \
      argument = own;                                                                            \
    }                                                                                            \
    const int error = ::prof::core::recorded(OSRT_FUNCTION(name),                                \
                                             [&] { return PROF_REAL(name, int, params) args; }); \
    if (error != 0 && own != nullptr) ::prof::core::release(*own);                               \
    return error;                                                                                \
  }

OSRT_CREATE(pthread_create, void*,
            (pthread_t * thread, const pthread_attr_t* attributes, void* (*start)(void*),
             void* argument),
            (thread, attributes, start, argument))
OSRT_CREATE(thrd_create, int, (thrd_t * thread, thrd_start_t start, void* argument),
            (thread, start, argument))
