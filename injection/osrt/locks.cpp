// Locks try first and are recorded only when they contend: stamping both sides of an uncontended
// lock would cost more than the lock (peers.md: 6.0 -> 8.7 ns against 38.7 ns for the pair).
//
// Whatever the try returns other than "busy" is what the lock itself would have returned: success,
// EOWNERDEAD of a robust mutex (which is now held!), EAGAIN, EINVAL. A busy error-checking mutex
// goes on to the real lock, which finds the deadlock.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "injection/core/wrap.hpp"
#include "injection/osrt/functions.hpp"

namespace {

// pthread_*: the error is the result.
bool contended(int tried) { return tried == EBUSY; }

// sem_*: -1 with errno; a failed try must not leave its EAGAIN behind.
template <class Try>
bool semaphore_contended(Try try_wait, sem_t* semaphore, int& tried) {
  const int saved = errno;
  tried = try_wait(semaphore);
  if (tried == 0 || errno != EAGAIN) return false;
  errno = saved;
  return true;
}

}  // namespace

// Body of a lock that has a try variant; `try_call` is an expression giving its result.
#define OSRT_LOCK(name, params, args, try_name, try_params, try_args)        \
  PROF_REAL_SLOT(name, nullptr)                                              \
  PROF_WRAPPER(name, int, params) {                                          \
    const auto real = PROF_REAL(name, int, params);                          \
    if (!::prof::core::records_calls()) return real args;                    \
    const int tried = PROF_REAL(try_name, int, try_params) try_args;         \
    if (!contended(tried)) return tried;                                     \
    const ::prof::core::Call call = ::prof::core::begin_call();              \
    const int result = real args;                                            \
    ::prof::core::end_call(call, OSRT_FUNCTION(name), result);               \
    return result;                                                           \
  }

// A semaphore wait is a cancellation point even when it does not block; the try is not.
#define OSRT_SEMAPHORE(name, params, args)                                           \
  PROF_REAL_SLOT(name, nullptr)                                                      \
  PROF_WRAPPER(name, int, params) {                                                  \
    const auto real = PROF_REAL(name, int, params);                                  \
    if (!::prof::core::records_calls()) return real args;                            \
    pthread_testcancel();                                                            \
    int tried;                                                                       \
    if (!semaphore_contended(PROF_REAL(sem_trywait, int, (sem_t*)), semaphore, tried)) \
      return tried;                                                                  \
    const ::prof::core::Call call = ::prof::core::begin_call();                      \
    const int result = real args;                                                    \
    ::prof::core::end_call(call, OSRT_FUNCTION(name), result);                       \
    return result;                                                                   \
  }

PROF_REAL_SLOT(pthread_mutex_trylock, nullptr)
PROF_REAL_SLOT(pthread_rwlock_tryrdlock, nullptr)
PROF_REAL_SLOT(pthread_rwlock_trywrlock, nullptr)
PROF_REAL_SLOT(sem_trywait, nullptr)

OSRT_LOCK(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex),
          pthread_mutex_trylock, (pthread_mutex_t*), (mutex))
OSRT_LOCK(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec* until), (mutex, until),
          pthread_mutex_trylock, (pthread_mutex_t*), (mutex))
OSRT_LOCK(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock),
          pthread_rwlock_tryrdlock, (pthread_rwlock_t*), (lock))
OSRT_LOCK(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock),
          pthread_rwlock_trywrlock, (pthread_rwlock_t*), (lock))
OSRT_SEMAPHORE(sem_wait, (sem_t * semaphore), (semaphore))
OSRT_SEMAPHORE(sem_timedwait, (sem_t * semaphore, const timespec* until), (semaphore, until))
