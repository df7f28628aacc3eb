// Computes how much time a sample stands for.
#pragma once

#include <cstdint>
#include <optional>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"

namespace prof::events {

// Returns the time that a weight of 1 stands for, in ns, at most one second. Returns nothing if the
// samples do not come from a clock or the report does not have the interval.
std::optional<std::int64_t> sampling_interval(const report::ReportReader& reader, SampleKind kind,
                                              const Samples& samples);
// Returns the interval of Python samples in ns. Each sample stands for this much time in which a
// thread was at work.
std::optional<std::int64_t> python_sampling_interval(const report::ReportReader& reader);
// Returns the time that a weight stands for. The result is limited to the largest number.
std::int64_t sampled_time(std::int64_t weight, std::int64_t interval);

}  // namespace prof::events
