// Decides how much of each stream is recorded.
#include <time.h>

#include <algorithm>

#include "injection/core/clock.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/thinning/streams.hpp"

namespace prof::core {

namespace {

// The cost of prof beside its records, in ns: of a call that is left out, and of a range with both
// its ends.
constexpr double kPassedCall = 2;
constexpr double kPassedRange = 9;
// Records cost more than their own time: they displace the program's data in the caches.
constexpr double kHiddenCost = 1.3;

constexpr double kMaxLeftOut = 8192;  // events for each recorded one
// Events without a duration count with this one, in ns.
constexpr double kMinDuration = 20;

// The share of the budget that records get even if calls that are left out use all of it. Otherwise
// nothing would be known about the events.
constexpr double kMinForRecords = 0.1;

// An overdraft is paid back in this number of periods. At most this number of periods is saved up.
constexpr double kPeriodsToPay = 10;
constexpr double kPeriodsToSave = 5;

constexpr double kPeriodNs = 10e6;
constexpr std::uint32_t kNotedPeriods = 100;

double clock_units_per_ns() {
  return static_cast<double>(g_process.config.thinning_period) / kPeriodNs;
}
double share() { return g_process.config.max_overhead / 1e6; }

// Does not use libm's function, which a program may replace.
double root_of(double value) {
  if (value <= 0) return 0;
  double root = value > 1e12 ? 1e6 : value > 1e6 ? 1e4 : 1e2;
  for (int i = 0; i < 24; ++i) root = 0.5 * (root + value / root);
  return root;
}

bool is_range(const Stream& stream) { return stream.countdown >= kThinnedFunctions; }

double cost_of(const ThreadStreams& of, const Stream& stream) {
  return of.record_cost * (is_range(stream) ? 2 : 1);
}
double passing_cost(const Stream& stream) {
  return (is_range(stream) ? kPassedRange : kPassedCall) * clock_units_per_ns();
}

// Returns the clock units of CPU time since the last decision.
double cpu_time(ThreadStreams& of, std::uint64_t time) {
  const auto elapsed = static_cast<double>(time - of.decided);
  if (g_process.sandboxed.load(std::memory_order_relaxed)) return elapsed;
  const std::uint64_t cpu = sys::thread_cpu_time();
  const double used = static_cast<double>(cpu - of.decided_cpu) * clock_units_per_ns();
  of.decided_cpu = cpu;
  return std::clamp(used, 1.0, std::max(elapsed, 1.0));
}

// Adds the events since the last decision to the streams. Returns the cost of these events.
double sum_up(ThreadStreams& of, double cpu) {
  double cost = 0;
  for (std::uint32_t i = 1; i <= of.streams_used; ++i) {
    Stream& stream = of.streams[i];
    cost += stream.recorded * cost_of(of, stream) +
            (stream.events - std::min(stream.events, stream.recorded)) * passing_cost(stream);
    constexpr double kMemory = 64;  // recorded events
    if (stream.recorded != 0) {
      const double before = stream.mean_square == 0 ? 0 : kMemory;
      stream.mean_square =
          (before * stream.mean_square + stream.squares) / (before + stream.recorded);
    }
    stream.rate = 0.5 * (stream.rate + stream.events / cpu);
    stream.squares = 0;
    stream.events = stream.recorded = 0;
  }
  return cost;
}

// Returns the quantum with which the records of all streams cost `budget`, a share of the CPU time.
double choose_quantum(const ThreadStreams& of, double budget) {
  double quantum = 0;
  // Each round finds further streams whose events are all recorded.
  for (std::uint32_t round = 0; round < 8; ++round) {
    double whole = 0, shared = 0;
    for (std::uint32_t i = 1; i <= of.streams_used; ++i) {
      const Stream& stream = of.streams[i];
      const double root = root_of(stream.mean_square);
      if (stream.is_always_recorded || (round != 0 && root >= quantum))
        whole += stream.rate * cost_of(of, stream);
      else
        shared += stream.rate * root * cost_of(of, stream);
    }
    const double next = shared / std::max(budget - whole, budget * kMinForRecords);
    if (round != 0 && next <= quantum * 1.001 && next >= quantum * 0.999) break;
    quantum = next;
  }
  return quantum;
}

void decide(ThreadStreams& of, std::uint64_t time) {
  const double cpu = cpu_time(of, time);
  const double cost = sum_up(of, cpu);
  const double budget = share() * static_cast<double>(g_process.config.thinning_period);
  of.cost += cost;
  of.credit = std::clamp(of.credit + share() * cpu - cost, -100 * budget, kPeriodsToSave * budget);
  double passing = 0;
  for (std::uint32_t i = 1; i <= of.streams_used; ++i)
    passing += of.streams[i].rate * passing_cost(of.streams[i]);
  const double extra =
      of.credit / (kPeriodsToPay * static_cast<double>(g_process.config.thinning_period));
  const double left = std::max(share() + extra - passing, share() * kMinForRecords);
  const double quantum = choose_quantum(of, left);
  for (std::uint32_t i = 1; i <= of.streams_used; ++i) {
    Stream& stream = of.streams[i];
    const double root = std::max(root_of(stream.mean_square), 1.0);
    stream.every = static_cast<float>(
        stream.is_always_recorded ? 1 : std::clamp(quantum / root, 1.0, kMaxLeftOut));
  }
  of.recorded = 0;
  of.most_recorded =
      static_cast<std::uint32_t>(std::max(4 * budget / std::max(of.record_cost, 1.0), 64.0));
  of.decided = time;
  if (time - of.noted > kNotedPeriods * g_process.config.thinning_period) note_thinning(of, time);
}

std::uint8_t new_stream(ThreadStreams& of, std::uint32_t countdown) {
  if (of.streams_used + 1 >= kMaxStreams) return 0;
  const std::uint32_t number = ++of.streams_used;
  of.streams[number] = Stream{};
  of.streams[number].countdown = countdown;
  of.streams[number].every = 1;
  return of.stream_of[countdown] = static_cast<std::uint8_t>(number);
}

}  // namespace

void account(ThreadStreams& of, std::uint32_t countdown, std::uint32_t weight,
             std::uint64_t duration, std::uint64_t written, wire::Thinned kind, bool was_chosen) {
  const auto which = static_cast<std::size_t>(kind);
  of.events[which] += weight;
  ++of.kept[which];
  const std::uint8_t number =
      of.stream_of[countdown] != 0 ? of.stream_of[countdown] : new_stream(of, countdown);
  if (number == 0) return;
  Stream& stream = of.streams[number];
  const double length =
      std::max(static_cast<double>(duration), kMinDuration * clock_units_per_ns());
  stream.events += weight;
  ++stream.recorded;
  stream.squares += length * length;
  stream.is_always_recorded = !was_chosen;
  if (--of.until_measured == 0) {
    of.until_measured = 16;
    const std::uint64_t first = now();
    const auto reading = static_cast<double>(now() - first);
    const double cost = kHiddenCost * (static_cast<double>(first - written) + 2 * reading);
    // Limits the influence of one measurement: a much higher cost means that another thread ran.
    of.record_cost += (std::min(cost, 4 * of.record_cost) - of.record_cost) / 16;
  }
  if (++of.recorded >= of.most_recorded || written - of.decided >= g_process.config.thinning_period)
    decide(of, written);
}

void draw(ThreadStreams& of, std::uint32_t countdown) {
  const Stream& stream = of.streams[of.stream_of[countdown]];
  Countdown& to = of.countdowns[countdown];
  to.left = to.drawn = 0;
  if (stream.every <= 1 || of.stream_of[countdown] == 0) return;
  of.random ^= of.random << 13;
  of.random ^= of.random >> 7;
  of.random ^= of.random << 17;
  // The distance is uniformly distributed from 0 to twice the mean.
  const double fraction = static_cast<double>(of.random >> 11) * 0x1p-53;
  const double most = 2 * (static_cast<double>(stream.every) - 1) + 1;
  to.left = to.drawn = static_cast<std::int16_t>(fraction * most);
}

void note_thinning(ThreadStreams& of, std::uint64_t time) {
  for (std::size_t kind = 0; kind < kThinnedKinds; ++kind) {
    if (of.events[kind] > of.kept[kind])
      append(wire::ThinningRecord{
          header_of<wire::ThinningRecord>(wire::RecordType::kThinning, of.tid,
                                          static_cast<std::uint8_t>(kind)),
          of.noted, time, of.events[kind], of.kept[kind], static_cast<std::uint64_t>(of.cost)});
    of.events[kind] = of.kept[kind] = 0;
  }
  of.cost = 0;
  of.noted = time;
}

}  // namespace prof::core
