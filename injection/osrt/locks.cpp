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
//
// Where glibc refuses a time or clock before it looks at the lock, so must we: those go to the real
// function untried.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/single_threaded.h>
#include <threads.h>
#include <time.h>

#include "injection/core/doors.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/osrt/functions.hpp"

// Not in musl, where we do not get as far as asking (core/startup/entry.cpp).
#pragma weak __libc_single_threaded

namespace {

bool uncontested(const pthread_mutex_t* mutex) {
  return __libc_single_threaded != 0 && mutex->__data.__lock == 0;
}
bool uncontested(const pthread_rwlock_t* lock) {
  return __libc_single_threaded != 0 && lock->__data.__readers == 0;
}
// A pthread_mutex_t underneath.
bool uncontested(const mtx_t* mutex) {
  return uncontested(reinterpret_cast<const pthread_mutex_t*>(mutex));
}

// As glibc asks, first thing. Waking nobody is a look at memory.
bool has_waiters(const pthread_cond_t* condition) {
  return __atomic_load_n(&condition->__data.__wrefs, __ATOMIC_RELAXED) >> 3 != 0;
}
bool has_waiters(const cnd_t* condition) {
  return has_waiters(reinterpret_cast<const pthread_cond_t*>(condition));
}

bool refused(const timespec* until) {
  return until != nullptr && (until->tv_nsec < 0 || until->tv_nsec >= 1'000'000'000);
}
bool refused(clockid_t clock) { return clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC; }

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

// The contended part of a lock: a function of its own, so that the way through a free lock saves
// one register and no more.
#define OSRT_CONTENDED(name, params, args)                      \
  PROF_REAL_SLOT(name, nullptr)                                 \
  [[gnu::noinline]] static int contended_##name params {        \
    const ::prof::core::Call call = ::prof::core::begin_call(); \
    const int result = PROF_REAL(name, int, params) args;       \
    ::prof::core::end_call(call, OSRT_FUNCTION(name), result);  \
    return result;                                              \
  }

// A lock whose try variant says `busy` when it contends. `untried`: when to call it directly.
#define OSRT_LOCK(name, params, args, try_name, lock_type, lock, busy, untried)                \
  OSRT_CONTENDED(name, params, args)                                                           \
  PROF_WRAPPER(name, int, params) {                                                            \
    if (!::prof::core::records_calls() || (untried)) return PROF_REAL(name, int, params) args; \
    const int tried = PROF_REAL(try_name, int, (lock_type*))(lock);                            \
    return tried == (busy) ? contended_##name args : tried;                                    \
  }

// A semaphore wait is a cancellation point even when it does not block; the try is not.
#define OSRT_SEMAPHORE(name, params, args, untried)                                            \
  OSRT_CONTENDED(name, params, args)                                                           \
  PROF_WRAPPER(name, int, params) {                                                            \
    if (!::prof::core::records_calls() || (untried)) return PROF_REAL(name, int, params) args; \
    pthread_testcancel();                                                                      \
    int tried;                                                                                 \
    return semaphore_contended(PROF_REAL(sem_trywait, int, (sem_t*)), semaphore, tried)        \
               ? contended_##name args                                                         \
               : tried;                                                                        \
  }

PROF_REAL_SLOT(pthread_mutex_trylock, nullptr)
PROF_REAL_SLOT(pthread_rwlock_tryrdlock, nullptr)
PROF_REAL_SLOT(pthread_rwlock_trywrlock, nullptr)
PROF_REAL_SLOT(pthread_spin_trylock, nullptr)
PROF_REAL_SLOT(mtx_trylock, nullptr)
PROF_REAL_SLOT(sem_trywait, nullptr)
PROF_REAL_SLOT(ftrylockfile, nullptr)

#define OSRT_MUTEX(name, params, args, untried) \
  OSRT_LOCK(name, params, args, pthread_mutex_trylock, pthread_mutex_t, mutex, EBUSY, untried)
OSRT_MUTEX(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex), uncontested(mutex))
OSRT_MUTEX(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec* until),
           (mutex, until), uncontested(mutex))
OSRT_MUTEX(pthread_mutex_clocklock,
           (pthread_mutex_t * mutex, clockid_t clock, const timespec* until), (mutex, clock, until),
           uncontested(mutex) || refused(clock))

#define OSRT_RWLOCK(name, params, args, try_name, untried) \
  OSRT_LOCK(name, params, args, try_name, pthread_rwlock_t, lock, EBUSY, untried)
OSRT_RWLOCK(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock), pthread_rwlock_tryrdlock,
            uncontested(lock))
OSRT_RWLOCK(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock), pthread_rwlock_trywrlock,
            uncontested(lock))
OSRT_RWLOCK(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const timespec* until),
            (lock, until), pthread_rwlock_tryrdlock, uncontested(lock) || refused(until))
OSRT_RWLOCK(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const timespec* until),
            (lock, until), pthread_rwlock_trywrlock, uncontested(lock) || refused(until))
OSRT_RWLOCK(pthread_rwlock_clockrdlock,
            (pthread_rwlock_t * lock, clockid_t clock, const timespec* until), (lock, clock, until),
            pthread_rwlock_tryrdlock, uncontested(lock) || refused(clock) || refused(until))
OSRT_RWLOCK(pthread_rwlock_clockwrlock,
            (pthread_rwlock_t * lock, clockid_t clock, const timespec* until), (lock, clock, until),
            pthread_rwlock_trywrlock, uncontested(lock) || refused(clock) || refused(until))

// Its try is as dear as itself, with one thread too.
OSRT_LOCK(pthread_spin_lock, (pthread_spinlock_t * lock), (lock), pthread_spin_trylock,
          pthread_spinlock_t, lock, EBUSY, false)

OSRT_LOCK(mtx_lock, (mtx_t * mutex), (mutex), mtx_trylock, mtx_t, mutex, thrd_busy,
          uncontested(mutex))
OSRT_LOCK(mtx_timedlock, (mtx_t * mutex, const timespec* until), (mutex, until), mtx_trylock, mtx_t,
          mutex, thrd_busy, uncontested(mutex))

OSRT_SEMAPHORE(sem_wait, (sem_t * semaphore), (semaphore), false)
OSRT_SEMAPHORE(sem_timedwait, (sem_t * semaphore, const timespec* until), (semaphore, until),
               refused(until))
OSRT_SEMAPHORE(sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* until),
               (semaphore, clock, until), refused(clock) || refused(until))

#define OSRT_STREAM_LOCK(symbol)                                                    \
  PROF_REAL_SLOT(symbol, nullptr)                                                   \
  PROF_WRAPPER(symbol, void, (FILE * stream)) {                                     \
    const auto real = PROF_REAL(symbol, void, (FILE*));                             \
    if (!::prof::core::records_calls()) return real(stream);                        \
    if (PROF_REAL(ftrylockfile, int, (FILE*))(stream) == 0) return;                 \
    ::prof::core::recorded(OSRT_FUNCTION(flockfile), [&] { return real(stream); }); \
  }
OSRT_STREAM_LOCK(flockfile)
OSRT_STREAM_LOCK(_IO_flockfile)

#define OSRT_WAKE(name, version, type)                                                   \
  PROF_REAL_SLOT(name, version)                                                          \
  PROF_WRAPPER(name, int, (type * condition)) {                                          \
    if (::prof::core::is_watched(condition)) [[unlikely]]                                \
      ::prof::core::g_doors.condition_watch.signals(condition);                          \
    const auto real = PROF_REAL(name, int, (type*));                                     \
    if (!has_waiters(condition)) return real(condition);                                 \
    return ::prof::core::recorded(OSRT_FUNCTION(name), [&] { return real(condition); }); \
  }
OSRT_WAKE(pthread_cond_signal, "GLIBC_2.3.2", pthread_cond_t)
OSRT_WAKE(pthread_cond_broadcast, "GLIBC_2.3.2", pthread_cond_t)
OSRT_WAKE(cnd_signal, nullptr, cnd_t)
OSRT_WAKE(cnd_broadcast, nullptr, cnd_t)

PROF_REAL_SLOT(pthread_cond_timedwait, "GLIBC_2.3.2")
PROF_WRAPPER(pthread_cond_timedwait, int,
             (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* until)) {
  if (::prof::core::is_watched(condition)) [[unlikely]]
    ::prof::core::g_doors.condition_watch.waits(condition);
  const auto real =
      PROF_REAL(pthread_cond_timedwait, int, (pthread_cond_t*, pthread_mutex_t*, const timespec*));
  return ::prof::core::recorded(OSRT_FUNCTION(pthread_cond_timedwait),
                                [&] { return real(condition, mutex, until); });
}
