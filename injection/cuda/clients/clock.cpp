// Times of a client. The only subscriber gives CUPTI the clock of prof, and the times in a client's
// copies are converted to the clock that the client chose, or else to CUPTI's own. If there are
// several subscribers, CUPTI refuses a client's clock because prof has enabled kinds before. Then
// the client's subscriber has CUPTI's own clock, and its times are converted from that one.
#include <time.h>

#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/scoped.hpp"

namespace prof::cuda::clients {

namespace {

constexpr std::uint64_t kShortestStep = 1'000'000;  // ns between readings that are kept

std::uint64_t realtime() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t read(CUpti_TimestampCallbackFunc function) {
  return function != nullptr ? function() : realtime();
}

// The time that CUPTI's records have now.
std::uint64_t base_time(CUpti_SubscriberHandle subscriber) {
  if (subscriber == nullptr) return core::monotonic_raw();
  std::uint64_t time = 0;
  g_scoped_api.cuptiGetTimestamp_v2(subscriber, &time);
  return time;
}

// Reads both clocks. The thread may lose its CPU between the readings, so the shortest of three
// attempts counts.
ClientClock::Reading read_both(CUpti_TimestampCallbackFunc function,
                               CUpti_SubscriberHandle subscriber) {
  ClientClock::Reading best{};
  std::uint64_t shortest = ~std::uint64_t{0};
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t before = base_time(subscriber);
    const std::uint64_t theirs = read(function);
    const std::uint64_t took = base_time(subscriber) - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, theirs};
  }
  return best;
}

CUpti_TimestampCallbackFunc function_of(Client& client) {
  const Locked state(client.state);
  return client.wishes.clock.function;
}

}  // namespace

void ClientClock::add(const Reading& reading) {
  if (count >= 2 && reading.base - readings[count - 2].base < kShortestStep) {
    readings[count - 1] = reading;
    return;
  }
  if (count == kMaximum) {  // drops every second reading of the older half
    unsigned kept = 0;
    for (unsigned i = 0; i < kMaximum; ++i)
      if (i >= kMaximum / 2 || i % 2 == 0) readings[kept++] = readings[i];
    count = kept;
  }
  readings[count++] = reading;
}

ClockSegment ClientClock::segment_of(std::uint64_t base) const {
  constexpr std::uint64_t kEver = ~std::uint64_t{0};
  if (count == 0) return {0, kEver, 0, 0, 1};
  if (count == 1) return {0, kEver, readings[0].base, readings[0].theirs, 1};
  unsigned i = count - 2;
  while (i > 0 && readings[i].base > base) --i;
  const Reading& a = readings[i];
  const Reading& b = readings[i + 1];
  const double rate = static_cast<double>(static_cast<std::int64_t>(b.theirs - a.theirs)) /
                      static_cast<double>(static_cast<std::int64_t>(b.base - a.base));
  // Times before the first reading and after the last one are on the outer lines.
  return {i == 0 ? 0 : a.base, i == count - 2 ? kEver : b.base - 1, a.base, a.theirs, rate};
}

CUptiResult change_clock(Client& client, CUpti_TimestampCallbackFunc function,
                         CUpti_SubscriberHandle subscriber) {
  if (function == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  {
    const Locked state(client.state);
    client.wishes.clock.function = function;
    client.wishes.clock.count = 0;
  }
  read_clock(client, subscriber);
  return CUPTI_SUCCESS;
}

void read_clock(Client& client, CUpti_SubscriberHandle subscriber) {
  const CUpti_TimestampCallbackFunc function = function_of(client);
  const ClientClock::Reading reading = read_both(function, subscriber);
  const Locked state(client.state);
  ClientClock& clock = client.wishes.clock;
  if (clock.function != function) return;
  // Another thread may have read later but added its reading first.
  if (clock.count == 0 || reading.base > clock.readings[clock.count - 1].base) clock.add(reading);
}

CUptiResult get_time(Client& client, std::uint64_t* time) {
  if (time == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *time = read(function_of(client));
  return CUPTI_SUCCESS;
}

}  // namespace prof::cuda::clients
