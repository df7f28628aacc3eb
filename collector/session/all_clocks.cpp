#include "collector/session/all_clocks.hpp"

#include <sys/timex.h>

#include <cstdio>
#include <limits>
#include <string>

#include "common/base/proc_file.hpp"
#include "common/base/raw_time.hpp"
#include "common/code/symbols/kernel_symbols.hpp"

namespace prof::session {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kFrequencyUnit = 65536;   // timex.freq is in 2^-16 parts per million
constexpr std::int64_t kPartsPerMillion = 1000;  // in parts per billion

std::int64_t read_clock(clockid_t clock) {
  return static_cast<std::int64_t>(base::clock_ns(clock));
}

spool::ClockNote read_times() {
  spool::ClockNote best;
  best.uncertainty = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 8; ++i) {
    spool::ClockNote note;
    const std::int64_t before = read_clock(CLOCK_MONOTONIC_RAW);
    note.monotonic = read_clock(CLOCK_MONOTONIC);
    note.boottime = read_clock(CLOCK_BOOTTIME);
    note.realtime = read_clock(CLOCK_REALTIME);
    note.tai = read_clock(CLOCK_TAI);
    const std::int64_t after = read_clock(CLOCK_MONOTONIC_RAW);
    note.uncertainty = (after - before + 1) / 2;
    note.raw = before + note.uncertainty;
    if (note.uncertainty < best.uncertainty) best = note;
  }
  return best;
}

void add_synchronization(spool::ClockNote& note) {
  timex state{};
  state.modes = 0;  // changes nothing
  const int clock = adjtimex(&state);
  if (clock < 0) return;
  const bool in_nanoseconds = (state.status & STA_NANO) != 0;
  note.ntp_offset = state.offset * (in_nanoseconds ? 1 : kMicrosecond);
  note.ntp_frequency = state.freq * kPartsPerMillion / kFrequencyUnit;
  note.ntp_max_error = state.maxerror * kMicrosecond;
  note.ntp_estimated_error = state.esterror * kMicrosecond;
  note.ntp_status = state.status;
  note.is_synchronized = clock != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

// Returns what this process's time namespace adds to CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW. The
// file has a line for each shifted clock: "monotonic  86400  0". See time_namespaces(7).
std::int64_t namespace_shift() {
  const std::string text = base::read_proc_file("/proc/self/timens_offsets");
  long long seconds = 0;
  long long nanoseconds = 0;
  if (std::sscanf(text.c_str(), "monotonic %lld %lld", &seconds, &nanoseconds) != 2) return 0;
  return seconds * kSecond + nanoseconds;
}

}  // namespace

spool::ClockNote read_all_clocks() {
  spool::ClockNote note = read_times();
  add_synchronization(note);
  // They stay the same as long as this process lives.
  static const std::string boot_id = symbols::boot_id();
  static const std::int64_t shift = namespace_shift();
  note.boot_id = boot_id;
  note.namespace_shift = shift;
  return note;
}

}  // namespace prof::session
