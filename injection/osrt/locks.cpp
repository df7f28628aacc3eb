// Locks try first and are recorded only when they contend: stamping both sides of an uncontended
// lock would cost more than the lock (peers.md: 6.0 -> 8.7 ns against 38.7 ns for the pair).
//
// Whatever the try returns other than "busy" is what the lock itself would have returned: success,
// EOWNERDEAD of a robust mutex (which is now held!), EAGAIN, EINVAL. A busy error-checking mutex
// goes on to the real lock, which finds the deadlock.
//
// While the process has a single thread, glibc's mutex and rwlock work without atomic instructions,
// which the try variants always use (5 ns more a pair). Nobody can be holding the lock then but the
// thread itself or, if it is shared, another process: a lock that looks free is taken directly.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/single_threaded.h>
#include <time.h>

#include "injection/core/wrap.hpp"
#include "injection/osrt/functions.hpp"

namespace {

// pthread_*: the error is the result.
bool contended(int tried) { return tried == EBUSY; }

bool uncontested(const pthread_mutex_t* mutex) {
  return __libc_single_threaded != 0 && mutex->__data.__lock == 0;
}
bool uncontested(const pthread_rwlock_t* lock) {
  return __libc_single_threaded != 0 && lock->__data.__readers == 0;
}

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

// A lock that has a try variant. The contended part is a function of its own, so that the way
// through a free lock saves one register and no more.
#define OSRT_LOCK(name, params, args, try_name, lock_type, lock)    \
  PROF_REAL_SLOT(name, nullptr)                                     \
  [[gnu::noinline]] static int contended_##name params {            \
    const ::prof::core::Call call = ::prof::core::begin_call();     \
    const int result = PROF_REAL(name, int, params) args;           \
    ::prof::core::end_call(call, OSRT_FUNCTION(name), result);      \
    return result;                                                  \
  }                                                                 \
  PROF_WRAPPER(name, int, params) {                                 \
    if (!::prof::core::records_calls() || uncontested(lock))        \
      return PROF_REAL(name, int, params) args;                     \
    const int tried = PROF_REAL(try_name, int, (lock_type*))(lock); \
    return contended(tried) ? contended_##name args : tried;        \
  }

// A semaphore wait is a cancellation point even when it does not block; the try is not.
#define OSRT_SEMAPHORE(name, params, args)                                              \
  PROF_REAL_SLOT(name, nullptr)                                                         \
  [[gnu::noinline]] static int contended_##name params {                                \
    const ::prof::core::Call call = ::prof::core::begin_call();                         \
    const int result = PROF_REAL(name, int, params) args;                               \
    ::prof::core::end_call(call, OSRT_FUNCTION(name), result);                          \
    return result;                                                                      \
  }                                                                                     \
  PROF_WRAPPER(name, int, params) {                                                     \
    if (!::prof::core::records_calls()) return PROF_REAL(name, int, params) args;       \
    pthread_testcancel();                                                               \
    int tried;                                                                          \
    return semaphore_contended(PROF_REAL(sem_trywait, int, (sem_t*)), semaphore, tried) \
               ? contended_##name args                                                  \
               : tried;                                                                 \
  }

PROF_REAL_SLOT(pthread_mutex_trylock, nullptr)
PROF_REAL_SLOT(pthread_rwlock_tryrdlock, nullptr)
PROF_REAL_SLOT(pthread_rwlock_trywrlock, nullptr)
PROF_REAL_SLOT(sem_trywait, nullptr)

OSRT_LOCK(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex), pthread_mutex_trylock,
          pthread_mutex_t, mutex)
OSRT_LOCK(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec* until), (mutex, until),
          pthread_mutex_trylock, pthread_mutex_t, mutex)
OSRT_LOCK(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock), pthread_rwlock_tryrdlock,
          pthread_rwlock_t, lock)
OSRT_LOCK(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock), pthread_rwlock_trywrlock,
          pthread_rwlock_t, lock)
OSRT_SEMAPHORE(sem_wait, (sem_t * semaphore), (semaphore))
OSRT_SEMAPHORE(sem_timedwait, (sem_t * semaphore, const timespec* until), (semaphore, until))
