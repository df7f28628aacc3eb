#include "collector/sampler/cpu_timers.hpp"

#include <signal.h>
#include <sys/utsname.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace prof::sampler {

namespace {

// Before Linux 5.10 the signal of such a timer is sent by the tick, and can interrupt a system
// call.
constexpr int kOldest[] = {5, 10};

bool is_too_old(const utsname& system) {
  int version[2] = {0, 0};
  std::sscanf(system.release, "%d.%d", &version[0], &version[1]);
  return std::lexicographical_compare(version, version + 2, kOldest, kOldest + 2);
}

}  // namespace

std::string timers_obstacle() {
  utsname system{};
  uname(&system);
  if (is_too_old(system))
    return std::string(
               "timers in the program would disturb its system calls before Linux 5.10 "
               "(this is ") +
           system.release + ")";
  sigevent none{};
  none.sigev_notify = SIGEV_NONE;
  timer_t timer{};
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &none, &timer) != 0)
    return std::string("timers of CPU time are refused (") + std::strerror(errno) + ")";
  timer_delete(timer);
  return {};
}

std::uint64_t kernel_tick() {
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(tick.tv_nsec));
}

// If the period were a whole tick, it would sometimes end just after a tick and wait for the next
// one.
std::uint64_t timer_period(const CpuOptions& options, std::uint64_t tick) {
  const std::uint64_t wanted =
      options.period != 0 ? options.period : 1'000'000'000 / std::max(1U, options.frequency);
  return std::max(wanted, tick - tick / 32);
}

}  // namespace prof::sampler
