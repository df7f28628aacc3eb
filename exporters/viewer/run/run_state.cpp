#include "exporters/viewer/run/run_state.hpp"

namespace prof::view {

std::int64_t RunState::common(std::size_t report, std::int64_t time) const {
  if (collectives && collectives->parts[report])
    return collectives->job.alignment.common(*collectives->parts[report], time);
  return ranks->alignment.common(report, time);
}

std::optional<double> RunState::clock_error(std::size_t report) const {
  if (collectives && collectives->parts[report])
    return collectives->job.alignment.bound(*collectives->parts[report]);
  return ranks->alignment.bound(report);
}

std::int64_t RunState::of_report(std::size_t report, std::int64_t common_time) const {
  // Clocks differ little in their rates, so each round leaves less than a thousandth of the error.
  constexpr int kRounds = 4;
  std::int64_t time = common_time;
  for (int i = 0; i < kRounds; ++i) time -= common(report, time) - common_time;
  return time;
}

}  // namespace prof::view
