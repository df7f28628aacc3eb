#include "injection/core/own_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include "injection/core/syscalls.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::core {

namespace {

// Returns the signals that the thread blocks, because they are for the program's own threads.
// Signals of faults are not blocked, nor the two that glibc uses between threads (setuid waits for
// their handlers).
std::uint64_t program_signals() {
  const auto bit = [](int signal) { return std::uint64_t{1} << (signal - 1); };
  constexpr int kCancel = 32;
  constexpr int kSetId = 33;
  return ~(bit(SIGSEGV) | bit(SIGBUS) | bit(SIGILL) | bit(SIGFPE) | bit(SIGTRAP) | bit(SIGSYS) |
           bit(kCancel) | bit(kSetId));
}

// Uses the system call, because some programs and libraries interpose the libc functions.
void set_signal_mask(int how, std::uint64_t mask, std::uint64_t* before) {
  sys::call(SYS_rt_sigprocmask, how, sys::pointer(&mask), sys::pointer(before), sizeof mask);
}

}  // namespace

void begin_own_thread(void* name) {
  t_state.calls = kMuted;
  constexpr long kSetName = 15;  // PR_SET_NAME
  sys::call(SYS_prctl, kSetName, sys::pointer(name));
}

// Calls pthread_create as the program does, because a sanitizer must know every thread. Our own
// wrapper does not record the call, because the calling thread is muted.
bool start_own_thread(void* (*run)(void*), const char* name) {
  ThreadState& t = t_state;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const Calls calls = t.calls;
  t.calls = kMuted;
  std::uint64_t mask = 0;
  set_signal_mask(SIG_BLOCK, program_signals(), &mask);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, run, const_cast<char*>(name)) == 0;
  set_signal_mask(SIG_SETMASK, mask, nullptr);
  t.calls = calls;
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace prof::core
