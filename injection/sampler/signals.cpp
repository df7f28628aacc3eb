// Wrappers of signal functions, because the sampler uses one of the signals. The program sees that
// signal as it would be without prof. If the program uses this particular signal, it gets the
// signal at once. Nothing is done in a vfork child, which has its parent's memory but its own
// signals.
#include <signal.h>

#include <cstring>

#include "injection/core/foreign_threads.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/readable.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/thread_state.hpp"
#include "injection/sampler/sampling.hpp"

namespace {

using namespace prof;

bool in_own_process() { return core::sys::getpid() == core::g_live.self.pid; }

bool is_samplers(int number) {
  return number != 0 && number == sampler::own_signal() && in_own_process();
}

// The kernel only uses the first word of a sigset_t.
std::uint64_t word_of(const sigset_t& set) {
  std::uint64_t word;
  std::memcpy(&word, &set, sizeof word);
  return word;
}
void set_word(sigset_t& set, std::uint64_t word) { std::memcpy(&set, &word, sizeof word); }

template <class Real>
int change_mask(int how, const sigset_t* set, sigset_t* before, Real real) {
  const int number = sampler::own_signal();
  if (number == 0 || !in_own_process() || !core::has_libc_pointer()) return real(how, set, before);
  bool& hidden = core::t_state.hides_signal;
  const bool was_hidden = hidden;
  const std::uint64_t bit = sampler::bit_of(number);
  const std::uint64_t word = set != nullptr ? word_of(*set) : 0;
  const bool blocks = set != nullptr && how != SIG_UNBLOCK && (word & bit) != 0;
  if (blocks && !sampler::includes_nearly_all(word, number)) {
    sampler::yield_signal();
    return real(how, set, before);
  }
  sigset_t without;
  if (blocks) {
    without = *set;
    set_word(without, word & ~bit);
  }
  const int error = real(how, blocks ? &without : set, before);
  if (error != 0) return error;
  // The flag may be out of date: the program may have unblocked all signals by a raw system call
  // meanwhile, as Go does.
  if (before != nullptr && was_hidden && sampler::includes_nearly_all(word_of(*before), number))
    set_word(*before, word_of(*before) | bit);
  if (blocks)
    hidden = true;
  else if (set != nullptr && (how == SIG_SETMASK || (how == SIG_UNBLOCK && (word & bit) != 0)))
    hidden = false;
  return 0;
}

using Handler = void (*)(int);

}  // namespace

#define SIGACTION_PARAMETERS (int number, const struct sigaction* action, struct sigaction* before)

#define SIGACTION_WRAPPER(name)                                                \
  PROF_REAL_SLOT(name, nullptr)                                                \
  PROF_WRAPPER(name, int, SIGACTION_PARAMETERS) {                              \
    if (is_samplers(number)) {                                                 \
      if (action == nullptr || action->sa_handler == SIG_DFL) {                \
        if (before != nullptr) *before = {};                                   \
        return 0;                                                              \
      }                                                                        \
      sampler::yield_signal();                                                 \
    }                                                                          \
    return PROF_REAL(name, int, SIGACTION_PARAMETERS)(number, action, before); \
  }

SIGACTION_WRAPPER(sigaction)
SIGACTION_WRAPPER(__sigaction)

#define SIGNAL_WRAPPER(name)                                          \
  PROF_REAL_SLOT(name, nullptr)                                       \
  PROF_WRAPPER(name, Handler, (int number, Handler handler)) {        \
    if (is_samplers(number)) {                                        \
      if (handler == SIG_DFL) return SIG_DFL;                         \
      sampler::yield_signal();                                        \
    }                                                                 \
    return PROF_REAL(name, Handler, (int, Handler))(number, handler); \
  }

SIGNAL_WRAPPER(signal)
SIGNAL_WRAPPER(bsd_signal)
SIGNAL_WRAPPER(ssignal)
SIGNAL_WRAPPER(sysv_signal)
SIGNAL_WRAPPER(__sysv_signal)
SIGNAL_WRAPPER(sigset)

PROF_REAL_SLOT(sigignore, nullptr)
PROF_WRAPPER(sigignore, int, (int number)) {
  if (is_samplers(number)) sampler::yield_signal();
  return PROF_REAL(sigignore, int, (int))(number);
}

#define MASK_WRAPPER(name)                                                                         \
  PROF_REAL_SLOT(name, nullptr)                                                                    \
  PROF_WRAPPER(name, int, (int how, const sigset_t* set, sigset_t* before)) {                      \
    return change_mask(how, set, before, PROF_REAL(name, int, (int, const sigset_t*, sigset_t*))); \
  }

MASK_WRAPPER(pthread_sigmask)
MASK_WRAPPER(sigprocmask)

PROF_REAL_SLOT(sigaltstack, nullptr)
PROF_WRAPPER(sigaltstack, int, (const stack_t* stack, stack_t* before)) {
  core::Reader reader;
  const bool sampled =
      stack != nullptr && sampler::own_signal() != 0 && in_own_process() && reader.can_read(stack);
  // This comes before the call, because a signal may come right after it.
  const std::uint64_t bytes = !sampled || (stack->ss_flags & SS_DISABLE) != 0 ? 0 : stack->ss_size;
  if (sampled && bytes != 0) sampler::fit_signal_stack(bytes);
  const int error = PROF_REAL(sigaltstack, int, (const stack_t*, stack_t*))(stack, before);
  if (sampled && bytes == 0 && error == 0) sampler::fit_signal_stack(0);
  return error;
}
