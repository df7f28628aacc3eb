#include "collector/ptrace/waiting_call.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include "common/base/proc_file.hpp"
#include "common/base/raw_time.hpp"

namespace prof::ptrace {

namespace {

// The scheduler's data about a thread: /proc/TID/sched.
struct Scheduling {
  std::uint64_t last_ran = 0;  // ns, by the clock of its CPU
  std::uint64_t waits = 0;     // how often the thread has left its CPU to wait
};

// Parses lines such as "se.exec_start    :    958210.718850", in ms.
std::optional<Scheduling> scheduling_of(const std::string& file) {
  std::istringstream lines(base::read_proc_file(file));
  Scheduling found;
  bool has_time = false, has_waits = false;
  for (std::string name, colon, value, line; std::getline(lines, line);) {
    std::istringstream words(line);
    if (!(words >> name >> colon >> value)) continue;
    if (name == "se.exec_start") {
      const std::size_t point = std::min(value.find('.'), value.size());
      const std::string parts =
          std::string(6, '0') + value.substr(std::min(point + 1, value.size()));
      found.last_ran = base::number_in(value) * 1'000'000 +
                       base::number_in(std::string_view(parts).substr(parts.size() - 6));
      has_time = found.last_ran != 0;
    } else if (name == "nr_voluntary_switches") {
      found.waits = base::number_in(value);
      has_waits = true;
    }
  }
  if (!has_time || !has_waits) return {};
  return found;
}

std::string file_of(pid_t thread, const char* name) { return base::proc_path(thread, name); }

// Returns the CPU that the thread ran on last: field 39 of its stat.
std::optional<int> cpu_of(pid_t thread) {
  const std::string stat = base::read_proc_file(file_of(thread, "stat"));
  const std::string_view field = base::stat_field(stat, 39);
  if (field.empty()) return {};
  return static_cast<int>(base::number_in(field));
}

// Pins the calling thread to one CPU as long as the object exists.
class OnCpu {
 public:
  explicit OnCpu(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    if (cpu < 0 || cpu >= CPU_SETSIZE) return;
    CPU_SET(static_cast<std::size_t>(cpu), &one);
    is_there_ = sched_getaffinity(0, sizeof before_, &before_) == 0 &&
                sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~OnCpu() {
    if (is_there_) sched_setaffinity(0, sizeof before_, &before_);
  }
  OnCpu(const OnCpu&) = delete;
  OnCpu& operator=(const OnCpu&) = delete;
  bool is_there() const { return is_there_; }

 private:
  cpu_set_t before_{};
  bool is_there_ = false;
};

}  // namespace

// Parses "58 0x… 0x… … SP PC" or "running".
std::optional<WaitingCall> waiting_call(pid_t thread) {
  std::istringstream words(base::read_proc_file(file_of(thread, "syscall")));
  WaitingCall call;
  if (!(words >> call.number)) return {};
  for (std::uint64_t& each : call.arguments) words >> std::hex >> each;
  words >> call.stack >> call.instruction;
  return call;
}

TimeLimit time_limit(std::int64_t system_call) {
  using Kind = TimeLimit::Kind;
  switch (system_call) {
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
    case SYS_epoll_pwait:
      return {Kind::kMilliseconds, 3};
    case SYS_epoll_pwait2:
    case SYS_semtimedop:
      return {Kind::kTimespec, 3};
    case SYS_rt_sigtimedwait:
      return {Kind::kTimespec, 2};
    case SYS_io_getevents:
      return {Kind::kTimespec, 4};
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_accept:
    case SYS_accept4:
      return {Kind::kReceive, 0};
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_connect:
      return {Kind::kSend, 0};
    default:
      return {};
  }
}

// The scheduler notes when a thread leaves its CPU, by a clock of that CPU, which stands still in
// interrupts. So this thread sleeps on the same CPU for a moment, to relate that clock to the
// present time.
std::optional<WaitBegin> wait_begin(pid_t thread) {
  const auto cpu = cpu_of(thread);
  const auto its = scheduling_of(file_of(thread, "sched"));
  if (!cpu || !its) return {};
  const OnCpu same(*cpu);
  if (!same.is_there()) return {};
  constexpr timespec kMoment{0, 1000};
  nanosleep(&kMoment, nullptr);  // the scheduler notes the time when the sleep ends
  const std::uint64_t now = base::raw_time();
  const auto own = scheduling_of("/proc/thread-self/sched");
  if (!own || own->last_ran < its->last_ran) return {};
  return WaitBegin{now - (own->last_ran - its->last_ran), its->waits};
}

std::uint64_t waits_of(pid_t thread) {
  const auto now = scheduling_of(file_of(thread, "sched"));
  return now ? now->waits : 0;
}

// The stop is the only wait that the thread has begun since.
bool is_same_wait(pid_t thread, const WaitBegin& begin) {
  return waits_of(thread) == begin.waits + 1;
}

bool has_signal(pid_t thread) {
  const std::string status = base::read_proc_file(file_of(thread, "status"));
  const auto mask = [&](const char* key) {
    return base::number_in(base::status_value(status, key), 16);
  };
  return status.empty() || ((mask("SigPnd") | mask("ShdPnd")) & ~mask("SigBlk")) != 0;
}

}  // namespace prof::ptrace
