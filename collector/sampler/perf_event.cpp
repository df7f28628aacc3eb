#include "collector/sampler/perf_event.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace prof::sampler {

namespace {

constexpr std::uint64_t kFormatLost = 1U << 4;  // PERF_FORMAT_LOST, newer than some headers

int call_perf_event_open(const perf_event_attr& attributes, pid_t pid, int cpu) {
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

std::string paranoia() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  std::string level;
  return file >> level ? level : "unknown";
}

}  // namespace

perf_event_attr event_enabled_on_exec() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attributes.sample_id_all = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC_RAW;
  attributes.read_format = kFormatLost;
  return attributes;
}

base::UniqueFd open_event(const perf_event_attr& attributes, pid_t pid, int cpu) {
  base::UniqueFd event(call_perf_event_open(attributes, pid, cpu));
  if (event || errno != EINVAL) return event;
  perf_event_attr without = attributes;  // for kernels before 6.0
  without.read_format = 0;
  return base::UniqueFd(call_perf_event_open(without, pid, cpu));
}

bool redirect_event(const base::UniqueFd& event, const base::UniqueFd& into) {
  return ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, into.get()) == 0;
}

std::uint64_t lost_records(const base::UniqueFd& event) {
  struct {
    std::uint64_t count;
    std::uint64_t lost;
  } values{};
  // Without PERF_FORMAT_LOST the kernel writes only 8 bytes.
  return read(event.get(), &values, sizeof values) == sizeof values ? values.lost : 0;
}

std::vector<int> online_cpus() {
  std::ifstream file("/sys/devices/system/cpu/online");  // "0-3,8-11"
  std::vector<int> cpus;
  int first = 0;
  while (file >> first) {
    int last = first;
    if (file.peek() == '-') file.ignore(1) >> last;
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    file.ignore(1);
  }
  if (!cpus.empty()) return cpus;
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) cpus.push_back(cpu);
  return cpus;
}

std::string explain_open_error(int error) {
  switch (error) {
    case EACCES:
      return fmt::format(
          "this requires administrator rights (kernel.perf_event_paranoid is {}); run prof as "
          "root, give prof CAP_PERFMON (setcap cap_perfmon+ep prof), or have root set sysctl "
          "kernel.perf_event_paranoid=1",
          paranoia());
    case EPERM:
      return "the system call perf_event_open is forbidden, most often by a container's seccomp "
             "profile; start the container with --cap-add=PERFMON, or with a profile that allows "
             "perf_event_open";
    case ENOSYS:
      return "the system call perf_event_open does not exist here: the kernel was built without "
             "CONFIG_PERF_EVENTS, or a sandbox hides it";
    case EMFILE:
    case ENFILE:
      return "too few file descriptors for one event and CPU; raise ulimit -n";
    default:
      return fmt::format("perf_event_open: {}", std::strerror(error));
  }
}

}  // namespace prof::sampler
