// What the findings are made from: a report's GPU work and what is known about it, read once.
#pragma once

#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/event_filter.hpp"
#include "exporters/insight/breakdown.hpp"
#include "exporters/insight/iterations.hpp"
#include "exporters/insight/timeline.hpp"

namespace prof::analyze {

// Launches of a kernel with the same number of blocks.
struct KernelShape {
  std::int64_t name;  // demangled, in StringIds
  std::int64_t blocks;
  std::int64_t multiprocessors;  // of the GPU
  std::int64_t count;
  std::int64_t time;  // ns
};

struct Facts : insight::Timeline {
  std::vector<insight::Breakdown> breakdowns;   // by device
  std::vector<insight::Interval> spans;         // by device: from its first operation to its last
  std::vector<insight::Iterations> iterations;  // of the devices that have some
  std::vector<KernelShape> shapes;              // where the GPU is known
  std::int64_t profiler_overhead = 0;           // ns, while the GPUs were at work

  // Sum over the devices: the time that all findings are a share of.
  std::int64_t span() const;
  std::size_t iteration_count() const;  // of all devices

  bool is_within_span(const events::ApiCall& call) const;
};

// Looks at the iterations but the first, which warms up, if there are five or more; else at all.
// `events`: what the user wants to see of the report.
base::Result<Facts> read_facts(const report::ReportReader& reader,
                               const events::EventFilter& events = {});

}  // namespace prof::analyze
