#include "collector/ptrace/interrupted_call.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "common/base/proc_file.hpp"
#include "common/base/raw_time.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::ptrace {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr auto kStepWait = 200ms;

// Returns a descriptor of the program's socket, to read its options. If the first thread of a
// process has ended, only its other threads have descriptors. The kernel gives access to those
// since 6.9.
base::UniqueFd socket_of(pid_t process, pid_t thread, std::uint64_t number) {
  constexpr unsigned kOfThread = O_EXCL;  // PIDFD_THREAD
  base::UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, thread, kOfThread)));
  if (!pidfd) pidfd.reset(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!pidfd) return {};
  return base::UniqueFd(
      static_cast<int>(syscall(SYS_pidfd_getfd, pidfd.get(), static_cast<unsigned>(number), 0)));
}

// The time limit of a call: where it is stored, and how long it is in all.
class Limit {
 public:
  Limit(pid_t process, pid_t thread, const Memory& memory, const Registers& registers)
      : memory_(memory), place_(time_limit(registers.system_call())) {
    using Kind = TimeLimit::Kind;
    const std::uint64_t argument = registers.argument(place_.argument);
    if (place_.kind == Kind::kMilliseconds) {
      const auto limit = static_cast<std::int32_t>(argument);
      if (limit > 0) all_ns_ = static_cast<std::uint64_t>(limit) * 1'000'000;
    } else if (place_.kind == Kind::kTimespec) {
      limit_at_ = argument;
      if (argument != 0 && memory.read(argument, limit_before_) && limit_before_.tv_sec >= 0)
        take(limit_before_.tv_sec, limit_before_.tv_nsec);
    } else if (place_.kind == Kind::kReceive || place_.kind == Kind::kSend) {
      option_ = place_.kind == Kind::kReceive ? SO_RCVTIMEO : SO_SNDTIMEO;
      socket_ = socket_of(process, thread, argument);
      socklen_t bytes = sizeof option_before_;
      if (socket_ && getsockopt(socket_.get(), SOL_SOCKET, option_, &option_before_, &bytes) == 0)
        take(option_before_.tv_sec, option_before_.tv_usec * 1000);
    }
  }

  // Returns 0 if the call has no limit or the limit is not known.
  std::uint64_t all_ns() const { return all_ns_; }
  TimeLimit::Kind kind() const { return place_.kind; }

  void put_in_register(std::uint64_t rest_ns, Registers& registers) const {
    registers.set_argument(place_.argument, (rest_ns + 999'999) / 1'000'000);
  }
  // The kernel reads the limit when the call begins. So the rest of the time is written where the
  // limit is, until put_back() restores the limit, and the thread keeps its registers.
  void put(std::uint64_t rest_ns) {
    if (place_.kind != TimeLimit::Kind::kTimespec) {
      const std::uint64_t rest_us = std::max<std::uint64_t>(rest_ns / 1000, 1);  // 0: unlimited
      set_option({static_cast<time_t>(rest_us / 1'000'000),
                  static_cast<suseconds_t>(rest_us % 1'000'000)});
      return;
    }
    const timespec rest{static_cast<time_t>(rest_ns / kSecond),
                        static_cast<long>(rest_ns % kSecond)};
    static_cast<void>(memory_.write(limit_at_, rest));
  }
  void put_back() const {
    if (place_.kind == TimeLimit::Kind::kTimespec)
      static_cast<void>(memory_.write(limit_at_, limit_before_));
    else
      set_option(option_before_);
  }

 private:
  void take(std::int64_t seconds, std::int64_t ns) {
    constexpr std::int64_t kMaximum = 1'000'000'000;  // 32 years
    if (seconds <= kMaximum)
      all_ns_ = static_cast<std::uint64_t>(seconds) * kSecond + static_cast<std::uint64_t>(ns);
  }
  void set_option(timeval value) const {
    setsockopt(socket_.get(), SOL_SOCKET, option_, &value, sizeof value);
  }

  const Memory& memory_;
  TimeLimit place_;
  std::uint64_t all_ns_ = 0;
  int option_ = 0;
  timeval option_before_{};
  std::uint64_t limit_at_ = 0;
  timespec limit_before_{};
  base::UniqueFd socket_;
};

std::uint64_t rest_of(const Limit& limit, const WaitBegin& begin) {
  const std::uint64_t now = base::raw_time();
  constexpr std::uint64_t kMargin = 1'000'000;  // so that no call ends too early
  const std::uint64_t from = begin.raw_time + kMargin;
  const std::uint64_t waited = now > from ? now - from : 0;
  return limit.all_ns() > waited ? limit.all_ns() - waited : 0;
}

// Waits until the thread, which has been resumed into its call, waits there or is stopped at the
// end of the call. The kernel has then read the arguments.
void wait_until_in_call(SeizedThread& thread) {
  const std::uint64_t end = base::raw_time() + kSecond / 5;
  while (base::raw_time() < end && !thread.poll() && !waiting_call(thread.id()))
    std::this_thread::sleep_for(20us);
}

// Changes the limit when the thread is about to make the call, until the kernel has read it.
// Returns false if the thread did not reach the call.
bool enter_with_rest(SeizedThread& thread, Limit& limit, const FailedCall& call) {
  thread.go_to_system_call();
  if (!thread.wait(kStepWait) || thread.state() != State::kSystemCall) return false;
  const auto registers = thread.registers();
  if (!registers || registers->system_call() != call.number) return false;
  limit.put(rest_of(limit, *call.begin));
  thread.go_to_system_call();
  wait_until_in_call(thread);
  limit.put_back();
  return true;
}

}  // namespace

bool may_fail_in_time(pid_t thread, const WaitingCall& call) {
  const TimeLimit limit = time_limit(call.number);
  using Kind = TimeLimit::Kind;
  if (limit.kind != Kind::kReceive && limit.kind != Kind::kSend) return limit.kind != Kind::kNone;
  const std::string descriptor = "fd/" + std::to_string(static_cast<int>(call.arguments[0]));
  return base::read_link(base::proc_path(thread, descriptor)).starts_with("socket:");
}

BeforeStop look_before_stop(pid_t thread) {
  BeforeStop before;
  before.call = waiting_call(thread);
  if (before.call && may_fail_in_time(thread, *before.call)) before.begin = wait_begin(thread);
  return before;
}

std::optional<FailedCall> failed_call(pid_t thread, const Memory& memory,
                                      const Registers& registers, const BeforeStop& before) {
  const std::int64_t number = registers.system_call();
  const bool is_known = before.call && before.call->number == number;
  std::uint32_t code = 0;
  if (registers.result() != -EINTR || number < 0 ||
      (Registers::result_replaces_argument() && !is_known) ||
      !memory.read(registers.instruction() - Registers::system_call_bytes(), code) ||
      !Registers::is_system_call(code))
    return {};
  FailedCall call;
  call.number = number;
  if (!is_known) return call;
  call.first_argument = before.call->arguments[0];
  if (before.begin && is_same_wait(thread, *before.begin)) call.begin = before.begin;
  return call;
}

ResumedThreads::~ResumedThreads() {
  for (SeizedThread& each : threads_) each.leave_to_kernel();
}

void ResumedThreads::poll() {
  std::erase_if(threads_, [](SeizedThread& each) { return each.poll(); });
}

std::optional<WaitBegin> go_on(SeizedThread thread, pid_t process, const Memory& memory,
                               const std::optional<FailedCall>& call, ResumedThreads& resumed) {
  if (!call || thread.state() != State::kInterrupted || has_signal(thread.id())) return {};
  auto registers = thread.registers();
  if (!registers) return {};
  registers->restart_call(call->number, call->first_argument);
  Limit limit(process, thread.id(), memory, *registers);
  const bool has_rest = limit.all_ns() != 0 && call->begin;
  const bool is_in_register = limit.kind() == TimeLimit::Kind::kMilliseconds;
  if (has_rest && is_in_register) limit.put_in_register(rest_of(limit, *call->begin), *registers);
  if (!thread.set_registers(*registers) || !has_rest || is_in_register) return {};
  std::optional<WaitBegin> begin;
  if (enter_with_rest(thread, limit, *call) && thread.id() != 0)
    begin = WaitBegin{call->begin->raw_time, waits_of(thread.id())};
  if (!thread.is_stopped() && thread.id() != 0) resumed.add(std::move(thread));
  return begin;
}

}  // namespace prof::ptrace
