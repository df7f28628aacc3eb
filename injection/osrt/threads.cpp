// A fork child introduces itself before it has a second thread. The introduction takes a tenth of a
// millisecond; other threads that had something to record meanwhile would lose it.
#include <pthread.h>
#include <threads.h>

#include "injection/core/session.hpp"
#include "injection/core/wrap.hpp"
#include "injection/osrt/functions.hpp"

#define OSRT_CREATE(name, params, args)                                               \
  PROF_REAL_SLOT(name, nullptr)                                                       \
  PROF_WRAPPER(name, int, params) {                                                   \
    ::prof::core::introduce_fork_child();                                             \
    return ::prof::core::recorded(OSRT_FUNCTION(name),                                \
                                  [&] { return PROF_REAL(name, int, params) args; }); \
  }

OSRT_CREATE(pthread_create,
            (pthread_t * thread, const pthread_attr_t* attributes, void* (*start)(void*),
             void* argument),
            (thread, attributes, start, argument))
OSRT_CREATE(thrd_create, (thrd_t * thread, thrd_start_t start, void* argument),
            (thread, start, argument))
