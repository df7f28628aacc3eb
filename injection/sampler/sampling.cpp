#include "injection/sampler/sampling.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>

#include "common/wire/sample_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/live.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/stack_copy.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/sampler/go_program.hpp"
#include "injection/sampler/timers.hpp"

namespace prof::sampler {

namespace {

using core::g_process;
using core::ThreadState;
using core::sys::call;
using core::sys::pointer;
using wire::DiagnosticCode;

// The kernel's layout of struct sigaction.
struct Action {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};
constexpr long kMaskBytes = sizeof(std::uint64_t);

// Programs count their signals from either end of the real-time signals, so the signals in the
// middle are tried first.
constexpr int kFirstChoice = 55, kLastChoice = 40;
// Go's runtime handles all signals except those that C libraries use. It takes this signal for one
// of those.
constexpr int kChoiceInGo = kFirstOfPrograms;

// The stack of the handler, in addition to the data that the kernel stores there.
constexpr std::uint64_t kHandlerStack = 2048;

std::atomic<int> g_signal;
std::uint64_t g_signal_stack;  // bytes that an alternate stack must have

void set_action(int signal, const Action* action, Action* before) {
  call(SYS_rt_sigaction, signal, pointer(action), pointer(before), kMaskBytes);
}

std::uint64_t change_mask(int how, std::uint64_t signals) {
  std::uint64_t before = 0;
  call(SYS_rt_sigprocmask, how, pointer(&signals), pointer(&before), kMaskBytes);
  return before;
}

void report_for(ThreadState& thread, DiagnosticCode code, std::uint64_t arg) {
  const core::Writing writing = thread.writing;
  thread.writing = core::kIdle;
  core::report(code, arg);
  thread.writing = writing;
}

std::uint32_t this_cpu() {
  unsigned cpu = 0;
  if (core::machine::kTicksHaveCpu && g_process.use_tsc)
    cpu = core::machine::cpu_of_ticks();
  else
    call(SYS_getcpu, pointer(&cpu), 0, 0);
  return cpu & 0xfff;
}

void take_sample(const siginfo_t& info, const ucontext_t& context) {
  ThreadState& thread = core::t_state;
  if (g_process.arena->closed.load(std::memory_order_relaxed) != 0) return disarm(thread);
  if (core::paused()) return;
  wire::CpuSampleRecord record;
  const std::uint32_t most = std::min(g_process.config.sample_stack_bytes, wire::kMaxStackBytes);
  std::byte* place = core::begin_record(static_cast<std::uint32_t>(sizeof record) + most);
  if (place == nullptr) return;
  record.time = core::now();
  record.cpu = this_cpu();
  record.periods = 1 + static_cast<std::uint32_t>(std::max(0, info.si_overrun));
  core::machine::take_registers(context, record);
  const long copied =
      core::copy_stack(record.registers[wire::kSampledStackPointer], most, place + sizeof record);
  const auto bytes = static_cast<std::uint32_t>(std::max(0L, copied));
  record.header = {static_cast<std::uint16_t>(sizeof record + bytes), wire::RecordType::kCpuSample,
                   0, bytes};
  std::memcpy(place, &record, sizeof record);
  core::end_record(record.header.size);
  if (copied < 0) core::report(DiagnosticCode::kStackRefused, static_cast<std::uint64_t>(-copied));
}

// Handles a signal that another sender has sent to a program without a handler for it.
void pass_on(int signal, siginfo_t& info, ucontext_t& context) {
  yield_signal();
  auto& mask = reinterpret_cast<std::uint64_t&>(context.uc_sigmask);
  if (core::has_libc_pointer() && core::t_state.hides_signal && includes_nearly_all(mask, signal))
    mask |= bit_of(signal);
  // The signal is delivered again when this handler returns. It then stays pending, or ends the
  // program.
  call(SYS_rt_tgsigqueueinfo, core::sys::getpid(), core::sys::gettid(), signal, pointer(&info));
}

void handle(int signal, siginfo_t* info, void* context) {
  auto& user = *static_cast<ucontext_t*>(context);
  const bool from_timer = info->si_code == SI_TIMER && info->si_value.sival_ptr == timer_mark();
  if (!from_timer) return pass_on(signal, *info, user);
  // A thread with a timer may have switched its thread pointer since.
  if (own_signal() != 0 && core::has_libc_pointer()) take_sample(*info, user);
}

bool is_ours(int signal) {
  Action now{};
  set_action(signal, nullptr, &now);
  return now.handler == handle;
}

std::uint64_t signal_stack_bytes() {
  stack_t stack{};
  call(SYS_sigaltstack, 0, pointer(&stack));
  return (stack.ss_flags & SS_DISABLE) != 0 ? 0 : stack.ss_size;
}

bool fits(std::uint64_t stack_bytes) { return stack_bytes == 0 || stack_bytes >= g_signal_stack; }

// Stops sampling. The handler stays installed, because signals may be pending.
void stop() {
  if (g_signal.exchange(0, std::memory_order_relaxed) != 0) disarm_all();
}

void begin_thread(ThreadState& thread) {
  const int signal = own_signal();
  if (signal == 0 || thread.calls == core::kMuted ||
      g_process.sandboxed.load(std::memory_order_relaxed))
    return;
  // A fork child that the collector has not seen yet, or a raw system call, may have taken the
  // signal.
  if (!is_ours(signal)) {
    stop();
    return report_for(thread, DiagnosticCode::kSamplingSignalTaken,
                      static_cast<std::uint64_t>(signal));
  }
  if ((change_mask(SIG_UNBLOCK, bit_of(signal)) & bit_of(signal)) != 0) thread.hides_signal = true;
  if (const std::uint64_t bytes = signal_stack_bytes(); !fits(bytes))
    return report_for(thread, DiagnosticCode::kSamplingSmallStack, bytes);
  if (const int error = arm(thread, signal, g_process.config.sample_period); error != 0)
    report_for(thread, DiagnosticCode::kSamplingNoTimer, static_cast<std::uint64_t>(error));
}

// Stops sampling in a sandbox: a seccomp filter may forbid the return from a signal handler, if the
// program does not use handlers.
void stop_in_sandbox() {
  if (own_signal() == 0) return;
  stop();
  core::report(DiagnosticCode::kSamplingConfined, 0);
}

// True if the signal has no handler and is not blocked. It also counts as free if all signals are
// blocked, because then a parent process did not reset the mask for its child.
bool is_free(int signal) {
  const std::uint64_t blocked = change_mask(SIG_BLOCK, 0);
  Action action{};
  set_action(signal, nullptr, &action);
  const bool is_meant = (blocked & bit_of(signal)) != 0 && !includes_nearly_all(blocked, signal);
  return action.handler == nullptr && !is_meant;
}

int choose_signal() {
  if (is_go_program() && is_free(kChoiceInGo)) return kChoiceInGo;
  for (int signal = kFirstChoice; signal >= kLastChoice; --signal)
    if (is_free(signal)) return signal;
  return 0;
}

// Runs after core's constructor, which joins the session.
[[gnu::constructor(102)]] void on_load() {
  if (g_process.arena == nullptr || !core::has_feature(wire::kFeatureCpuSampling)) return;
  const int signal = choose_signal();
  if (signal == 0) return core::report(DiagnosticCode::kSamplingNoSignal, 0);
  constexpr unsigned long kMinimumSignalStack = 51;  // AT_MINSIGSTKSZ, since Linux 5.14
  const std::uint64_t frame = getauxval(kMinimumSignalStack);
  g_signal_stack = (frame != 0 ? frame : core::machine::kSignalFrameBytes) + kHandlerStack;
  const Action action{handle, SA_SIGINFO | SA_RESTART | SA_ONSTACK | core::machine::kHasRestorer,
                      core::machine::kReturnFromSignal, ~std::uint64_t{0}};
  set_action(signal, &action, nullptr);
  g_signal.store(signal, std::memory_order_release);
  core::g_doors.thread_ends.open(disarm);
  core::g_doors.stop_sampling.open(stop_in_sandbox);
  core::g_doors.thread_begins.open(begin_thread);
  if (core::t_state.serial == core::live_word()) begin_thread(core::t_state);
}

}  // namespace

int own_signal() { return g_signal.load(std::memory_order_relaxed); }

void yield_signal() {
  const int signal = own_signal();
  if (signal == 0) return;
  stop();
  constexpr Action kDefault{};
  // The program may already have installed its handler by a raw system call.
  if (is_ours(signal)) set_action(signal, &kDefault, nullptr);
  core::report(DiagnosticCode::kSamplingSignalTaken, static_cast<std::uint64_t>(signal));
}

void fit_signal_stack(std::uint64_t bytes) {
  if (!core::has_libc_pointer()) return;
  ThreadState& thread = core::t_state;
  if (!fits(bytes)) {
    if (thread.timer != 0) core::report(DiagnosticCode::kSamplingSmallStack, bytes);
    disarm(thread);
  } else if (thread.timer == 0 && thread.serial == core::live_word() && !thread.gone) {
    begin_thread(thread);
  }
}

}  // namespace prof::sampler
