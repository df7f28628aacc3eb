// How much time a sample stands for.
#pragma once

#include <cstdint>
#include <optional>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"

namespace prof::events {

// The time that a weight of 1 stands for, in ns, at most one second. None if the samples do not
// come from a clock or the report does not have the interval.
std::optional<std::int64_t> sampling_interval(const report::ReportReader& reader, SampleKind kind,
                                              const Samples& samples);
// The interval of Python samples. It is time in which a thread was at work.
std::optional<std::int64_t> python_sampling_interval(const report::ReportReader& reader);
// The time that a weight stands for. The result is limited to the largest number.
std::int64_t sampled_time(std::int64_t weight, std::int64_t interval);

}  // namespace prof::events
