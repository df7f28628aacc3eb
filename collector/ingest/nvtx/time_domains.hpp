// Converts times of the system's clocks and of the program's to the session's timeline.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "collector/spool/clock_model.hpp"
#include "common/wire/nvtx_records.hpp"

namespace prof::ingest {

// NVTX's predefined timestamp type for the session's clock.
inline constexpr std::uint64_t kToolProvided = 1;

class TimeDomains {
 public:
  // `uses_tsc`: the session's clock is the TSC.
  TimeDomains(const spool::ClockModel& clock, bool uses_tsc) : clock_(clock), uses_tsc_(uses_tsc) {}

  // First pass: adds a time domain.
  void define(std::uint32_t serial, const wire::NvtxTimeDomainRecord& record);
  void define(std::uint32_t serial, const wire::NvtxTimeSyncRecord& record);

  // Returns the time in ns. `id` is that of a time domain, or a predefined timestamp type. Returns
  // nothing if no readings of two clocks lead from this clock to the session's.
  std::optional<std::int64_t> to_ns(std::uint32_t serial, std::uint32_t domain, std::uint64_t id,
                                    std::int64_t time) const;

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // serial, domain, id
  struct Sync {
    std::uint64_t other;  // id of the other clock
    std::int64_t time;
    std::int64_t other_time;
    double slope;  // units of the other clock per unit; 0: not given
  };

  std::optional<std::int64_t> convert(const Key& key, std::int64_t time, int depth) const;
  std::optional<std::int64_t> by_syncs(const Key& key, std::int64_t time, int depth) const;

  const spool::ClockModel& clock_;
  const bool uses_tsc_;
  std::map<Key, wire::NvtxTimeDomainRecord> domains_;
  std::map<Key, std::vector<Sync>> syncs_;
};

}  // namespace prof::ingest
