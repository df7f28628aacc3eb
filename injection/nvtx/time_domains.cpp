#include "injection/nvtx/time_domains.hpp"

#include <time.h>

#include <atomic>

#include "common/wire/nvtx_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"

namespace prof::nvtx {

namespace {

constexpr std::uint64_t kToolProvided = 1;  // NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED: our clock

// The kernel's clocks for NVTX's predefined timestamp types.
struct SystemClock {
  std::uint64_t type;
  clockid_t clock;
};
constexpr SystemClock kSystemClocks[] = {
    {12, CLOCK_REALTIME},      {13, CLOCK_REALTIME_COARSE},  {14, CLOCK_MONOTONIC},
    {15, CLOCK_MONOTONIC_RAW}, {16, CLOCK_MONOTONIC_COARSE}, {17, CLOCK_BOOTTIME},
    {42, CLOCK_REALTIME},      {50, CLOCK_MONOTONIC},        {51, CLOCK_REALTIME},
    {52, CLOCK_REALTIME},      {53, CLOCK_REALTIME},         {54, CLOCK_TAI},
};

constexpr std::uint32_t kTimers = 64;
struct Timer {
  std::atomic<bool> ready;
  Domain domain;
  std::uint64_t id;
  TimerSource source;
  std::atomic<std::uint64_t> last;  // time of the last reading
};
PROF_SELDOM constinit Timer g_timers[kTimers]{};
std::atomic<std::uint32_t> g_timer_count;
std::atomic<std::uint64_t> g_next_scope{kFirstDynamicId};
std::atomic<std::uint64_t> g_next_time_domain{kFirstDynamicId};

void record_sync(Domain domain, std::uint64_t source, std::uint64_t target, const SyncPoint& point,
                 std::uint8_t flags = 0, double slope = 0) {
  core::append(wire::NvtxTimeSyncRecord{
      core::header_of<wire::NvtxTimeSyncRecord>(wire::RecordType::kNvtxTimeSync, domain.id, flags),
      source, target, point.source, point.target, slope});
}

bool is_static(std::uint64_t id) { return id >= kFirstStaticId && id < kFirstDynamicId; }

// Reads a clock of the program between two readings of ours.
template <class Read>
void record_reading(Domain domain, std::uint64_t id, Read&& read) {
  const std::uint64_t before = core::now();
  const std::int64_t time = read();
  const std::uint64_t after = core::now();
  record_sync(domain, id, kToolProvided,
              {time, static_cast<std::int64_t>(before + (after - before) / 2)});
}

void read_timer(Timer& timer) {
  timer.last.store(core::now(), std::memory_order_relaxed);
  record_reading(timer.domain, timer.id, [&] {
    return timer.source.read != nullptr ? timer.source.read()
                                        : timer.source.read_with_data(timer.source.data);
  });
}

}  // namespace

std::uint64_t register_scope(Domain domain, const ScopeAttributes* attributes) {
  if (attributes == nullptr || attributes->struct_size < sizeof *attributes) return 0;
  const std::uint64_t id = is_static(attributes->id)
                               ? attributes->id
                               : g_next_scope.fetch_add(1, std::memory_order_relaxed);
  if (domain.recorded)
    core::append(wire::NvtxScopeRecord{
        core::header_of<wire::NvtxScopeRecord>(wire::RecordType::kNvtxScope, domain.id), id,
        attributes->parent, core::intern(attributes->path)});
  return id;
}

std::uint64_t register_time_domain(Domain domain, const TimeDomainAttributes* attributes) {
  if (attributes == nullptr) return 0;
  const std::uint64_t id = is_static(attributes->id)
                               ? attributes->id
                               : g_next_time_domain.fetch_add(1, std::memory_order_relaxed);
  if (!domain.recorded) return id;
  core::append(wire::NvtxTimeDomainRecord{
      core::header_of<wire::NvtxTimeDomainRecord>(wire::RecordType::kNvtxTimeDomain, domain.id), id,
      attributes->scope, attributes->timestamp_type, attributes->flags, attributes->start,
      attributes->resolution});
  note_time_domain(domain, attributes->timestamp_type);
  return id;
}

void note_time_domain(Domain domain, std::uint64_t id) {
  if (!domain.recorded || core::g_process.clock_forbidden) return;
  for (const SystemClock& known : kSystemClocks) {
    if (known.type != id) continue;
    record_reading(domain, id, [&] {
      timespec time{};
      clock_gettime(known.clock, &time);
      return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    });
  }
}

void register_timer(Domain domain, std::uint64_t id, const TimerSource& source) {
  if (!domain.recorded || (source.read == nullptr && source.read_with_data == nullptr)) return;
  const std::uint32_t index = g_timer_count.fetch_add(1, std::memory_order_relaxed);
  if (index >= kTimers) return;
  Timer& timer = g_timers[index];
  timer.domain = domain;
  timer.id = id;
  timer.source = source;
  read_timer(timer);
  timer.ready.store(true, std::memory_order_release);
}

void read_timers(Domain domain) {
  constexpr std::uint64_t kInterval = 10'000'000;  // clock units: 3 to 10 ms
  if (g_timer_count.load(std::memory_order_relaxed) == 0 || !domain.recorded) return;
  for (Timer& timer : g_timers) {
    if (!timer.ready.load(std::memory_order_acquire) || timer.domain.id != domain.id) continue;
    if (core::now() - timer.last.load(std::memory_order_relaxed) > kInterval) read_timer(timer);
  }
}

void record_sync_points(Domain domain, std::uint64_t source, std::uint64_t target,
                        const SyncPoint* points, std::size_t count) {
  if (!domain.recorded || points == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) record_sync(domain, source, target, points[i]);
}

void record_slope(Domain domain, std::uint64_t source, std::uint64_t target, double slope,
                  const SyncPoint& point) {
  if (domain.recorded) record_sync(domain, source, target, point, wire::kNvtxHasSlope, slope);
}

}  // namespace prof::nvtx
