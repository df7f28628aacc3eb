// Lock functions call the try variant first and are recorded only when the lock is contended.
// Stamping both sides of an uncontended lock would cost more than the lock itself (for a pair, 38.7
// ns instead of 8.7 ns; 6.0 ns without prof).
//
// Any result of the try variant other than "busy" is what the lock function itself would return:
// success, EOWNERDEAD of a robust mutex (which is now held!), EAGAIN, EINVAL. For a busy
// error-checking mutex the real lock function is called, and finds the deadlock.
//
// While the process has a single thread, glibc's mutex and rwlock use no atomic instructions, but
// the try variants always do (5 ns more for a pair). In that case only the thread itself, or
// another process if the lock is shared, can hold the lock. So a lock that looks free is taken
// directly.
//
// glibc rejects some times and clocks before it looks at the lock. Such calls go to the real
// function without a try, so that they fail in the same way.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

#include "injection/core/doors.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/core/single_threaded.hpp"
#include "injection/osrt/functions.hpp"

namespace {

bool looks_free(const pthread_mutex_t* mutex) {
  return prof::core::is_single_threaded() && mutex->__data.__lock == 0;
}
bool looks_free(const pthread_rwlock_t* lock) {
  return prof::core::is_single_threaded() && lock->__data.__readers == 0;
}
// True if nobody seems to hold the lock. A mtx_t contains a pthread_mutex_t.
bool looks_free(const mtx_t* mutex) {
  return looks_free(reinterpret_cast<const pthread_mutex_t*>(mutex));
}

// True if a thread waits for the condition. glibc makes the same check first: without waiters,
// signalling only reads memory.
bool has_waiters(const pthread_cond_t* condition) {
  return __atomic_load_n(&condition->__data.__wrefs, __ATOMIC_RELAXED) >> 3 != 0;
}
bool has_waiters(const cnd_t* condition) {
  return has_waiters(reinterpret_cast<const pthread_cond_t*>(condition));
}

#if PROF_HAS_OLD_GLIBC_CODE
// A condition variable from before glibc 2.3.2, which had another layout. The old functions keep a
// pointer to a new one in it, which they create at the first use.
struct OldCondition {
  const pthread_cond_t* made;
};
bool has_waiters(const OldCondition* condition) {
  const pthread_cond_t* made = __atomic_load_n(&condition->made, __ATOMIC_ACQUIRE);
  return made != nullptr && has_waiters(made);
}
#endif

bool refused(const timespec* until) {
  return until != nullptr && (until->tv_nsec < 0 || until->tv_nsec >= 1'000'000'000);
}
bool refused(clockid_t clock) { return clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC; }

// sem_* return -1 with errno. The EAGAIN of a failed try must not stay in errno.
template <class Try>
bool semaphore_contended(Try try_wait, sem_t* semaphore, int& tried) {
  const int saved = errno;
  tried = try_wait(semaphore);
  if (tried == 0 || errno != EAGAIN) return false;
  errno = saved;
  return true;
}

}  // namespace

// The contended part of a lock. It is a separate function so that the path through a free lock
// saves only one register.
#define OSRT_CONTENDED(name, params, args)                      \
  PROF_STAND_IN_SLOT(name, nullptr)                             \
  [[gnu::noinline]] static int contended_##name params {        \
    const ::prof::core::Call call = ::prof::core::begin_call(); \
    const int result = PROF_REAL(name, int, params) args;       \
    ::prof::core::end_call(call, OSRT_FUNCTION(name), result);  \
    return result;                                              \
  }

// Defines a lock function whose try variant returns `busy` when the lock is contended. `untried` is
// the condition for calling the lock function directly.
#define OSRT_LOCK(name, params, args, try_name, lock_type, lock, busy, untried) \
  OSRT_CONTENDED(name, params, args)                                            \
  PROF_GATED_WRAPPER(name, int, params) {                                       \
    if (!::prof::core::records_calls_awake() || (untried))                      \
      return PROF_REAL(name, int, params) args;                                 \
    const int tried = PROF_FOUND(try_name, int, (lock_type*))(lock);            \
    return tried == (busy) ? contended_##name args : tried;                     \
  }

// The slot of pthread_testcancel, which is looked up at its first call: before glibc 2.34 it is in
// libpthread.
PROF_LIBC_SLOT(pthread_testcancel, pthread_testcancel)
namespace {
void find_test_cancel();
constinit std::atomic<void (*)()> g_test_cancel{find_test_cancel};
void find_test_cancel() {
  const auto found = PROF_FOUND(pthread_testcancel, void, ());
  g_test_cancel.store(found, std::memory_order_relaxed);
  found();
}
}  // namespace

// A semaphore wait is a cancellation point even when it does not block; the try variant is not.
#define OSRT_SEMAPHORE(name, params, args, untried)                                      \
  OSRT_CONTENDED(name, params, args)                                                     \
  PROF_GATED_WRAPPER(name, int, params) {                                                \
    if (!::prof::core::records_calls_awake() || (untried))                               \
      return PROF_REAL(name, int, params) args;                                          \
    g_test_cancel.load(std::memory_order_relaxed)();                                     \
    int tried;                                                                           \
    return semaphore_contended(PROF_FOUND(sem_trywait, int, (sem_t*)), semaphore, tried) \
               ? contended_##name args                                                   \
               : tried;                                                                  \
  }

PROF_LIBC_SLOT(pthread_mutex_trylock, pthread_mutex_trylock)
PROF_LIBC_SLOT(pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock)
PROF_LIBC_SLOT(pthread_rwlock_trywrlock, pthread_rwlock_trywrlock)
PROF_LIBC_SLOT(pthread_spin_trylock, pthread_spin_trylock)
PROF_LIBC_SLOT(mtx_trylock, mtx_trylock)
PROF_LIBC_SLOT(sem_trywait, sem_trywait)
PROF_LIBC_SLOT(ftrylockfile, ftrylockfile)

#define OSRT_MUTEX(name, params, args, untried) \
  OSRT_LOCK(name, params, args, pthread_mutex_trylock, pthread_mutex_t, mutex, EBUSY, untried)
OSRT_MUTEX(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex), looks_free(mutex))
OSRT_MUTEX(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec* until),
           (mutex, until), looks_free(mutex))
OSRT_MUTEX(pthread_mutex_clocklock,
           (pthread_mutex_t * mutex, clockid_t clock, const timespec* until), (mutex, clock, until),
           refused(clock) || looks_free(mutex))

#define OSRT_RWLOCK(name, params, args, try_name, untried) \
  OSRT_LOCK(name, params, args, try_name, pthread_rwlock_t, lock, EBUSY, untried)
OSRT_RWLOCK(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock), pthread_rwlock_tryrdlock,
            looks_free(lock))
OSRT_RWLOCK(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock), pthread_rwlock_trywrlock,
            looks_free(lock))
OSRT_RWLOCK(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const timespec* until),
            (lock, until), pthread_rwlock_tryrdlock, refused(until) || looks_free(lock))
OSRT_RWLOCK(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const timespec* until),
            (lock, until), pthread_rwlock_trywrlock, refused(until) || looks_free(lock))
OSRT_RWLOCK(pthread_rwlock_clockrdlock,
            (pthread_rwlock_t * lock, clockid_t clock, const timespec* until), (lock, clock, until),
            pthread_rwlock_tryrdlock, refused(clock) || refused(until) || looks_free(lock))
OSRT_RWLOCK(pthread_rwlock_clockwrlock,
            (pthread_rwlock_t * lock, clockid_t clock, const timespec* until), (lock, clock, until),
            pthread_rwlock_trywrlock, refused(clock) || refused(until) || looks_free(lock))

// Trying a spin lock costs as much as taking it, even with one thread.
OSRT_LOCK(pthread_spin_lock, (pthread_spinlock_t * lock), (lock), pthread_spin_trylock,
          pthread_spinlock_t, lock, EBUSY, false)

OSRT_LOCK(mtx_lock, (mtx_t * mutex), (mutex), mtx_trylock, mtx_t, mutex, thrd_busy,
          looks_free(mutex))
OSRT_LOCK(mtx_timedlock, (mtx_t * mutex, const timespec* until), (mutex, until), mtx_trylock, mtx_t,
          mutex, thrd_busy, looks_free(mutex))

OSRT_SEMAPHORE(sem_wait, (sem_t * semaphore), (semaphore), false)
OSRT_SEMAPHORE(sem_timedwait, (sem_t * semaphore, const timespec* until), (semaphore, until),
               refused(until))
OSRT_SEMAPHORE(sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* until),
               (semaphore, clock, until), refused(clock) || refused(until))

#define OSRT_STREAM_LOCK(symbol)                                                          \
  PROF_STAND_IN_SLOT(symbol, nullptr)                                                     \
  PROF_GATED_WRAPPER(symbol, void, (FILE * stream)) {                                     \
    const auto real = PROF_REAL(symbol, void, (FILE*));                                   \
    if (!::prof::core::records_calls_awake()) return real(stream);                        \
    if (PROF_FOUND(ftrylockfile, int, (FILE*))(stream) == 0) return;                      \
    ::prof::core::recorded_awake(OSRT_FUNCTION(flockfile), [&] { return real(stream); }); \
  }
OSRT_STREAM_LOCK(flockfile)
OSRT_STREAM_LOCK(_IO_flockfile)

template <class Condition>
[[gnu::always_inline]] static inline int wake(Condition* condition, prof::core::RealSymbol& symbol,
                                              prof::core::Function function) {
  if (prof::core::is_watched(condition)) [[unlikely]]
    prof::core::g_doors.condition_watch.signals(condition);
  const auto real = reinterpret_cast<int (*)(Condition*)>(symbol.known());
  if (!has_waiters(condition)) return real(condition);
  return prof::core::recorded(function, [&] { return real(condition); });
}

#define OSRT_WAKE(name, version, type)                                         \
  PROF_REAL_SLOT(name, version)                                                \
  PROF_WRAPPER_WITH_GATE(name, prof_condition_gate, int, (type * condition)) { \
    return wake(condition, g_real_##name, OSRT_FUNCTION(name));                \
  }
#define OSRT_OLD_WAKE(id, name)                                                      \
  PROF_VERSION_SLOT(id, name, "GLIBC_2.2.5")                                         \
  PROF_WRAPPER_WITH_GATE(id, prof_condition_gate, int, (OldCondition * condition)) { \
    return wake(condition, g_real_##id, OSRT_FUNCTION(name));                        \
  }
OSRT_WAKE(pthread_cond_signal, "GLIBC_2.3.2", pthread_cond_t)
OSRT_WAKE(pthread_cond_broadcast, "GLIBC_2.3.2", pthread_cond_t)
#if PROF_HAS_OLD_GLIBC_CODE
OSRT_OLD_WAKE(pthread_cond_signal_2_2_5, pthread_cond_signal)
OSRT_OLD_WAKE(pthread_cond_broadcast_2_2_5, pthread_cond_broadcast)
#endif
OSRT_WAKE(cnd_signal, nullptr, cnd_t)
OSRT_WAKE(cnd_broadcast, nullptr, cnd_t)

#define TIMEDWAIT_PARAMETERS \
  (pthread_cond_t * condition, pthread_mutex_t * mutex, const timespec* until)

PROF_REAL_SLOT(pthread_cond_timedwait, "GLIBC_2.3.2")
PROF_WRAPPER_WITH_GATE(pthread_cond_timedwait, prof_condition_gate, int, TIMEDWAIT_PARAMETERS) {
  if (::prof::core::is_watched(condition)) [[unlikely]]
    ::prof::core::g_doors.condition_watch.waits(condition);
  const auto real = PROF_REAL(pthread_cond_timedwait, int, TIMEDWAIT_PARAMETERS);
  return ::prof::core::recorded(OSRT_FUNCTION(pthread_cond_timedwait),
                                [&] { return real(condition, mutex, until); });
}

#if PROF_HAS_OLD_GLIBC_CODE
PROF_RECORDING_VERSION(pthread_cond_timedwait_2_2_5, pthread_cond_timedwait, int,
                       TIMEDWAIT_PARAMETERS, (condition, mutex, until), "GLIBC_2.2.5",
                       OSRT_FUNCTION(pthread_cond_timedwait))
#endif
