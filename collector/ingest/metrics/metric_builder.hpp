// Rows of sampled counters (GPU_METRICS for GPU counters, GENERIC_EVENTS for all others) and the
// tables that describe both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "collector/spool/clock_model.hpp"
#include "collector/spool/spool.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

struct MetricStats {
  std::uint64_t samples = 0;
  std::uint64_t corrupt_bytes = 0;  // skipped bytes
};

class MetricBuilder {
 public:
  // The references outlive the builder.
  MetricBuilder(const spool::ClockModel& clock, report::ReportWriter& writer)
      : clock_(clock), writer_(writer) {}

  // Leaves out samples before time 0 and after `end`.
  void set_window(std::int64_t end) { window_end_ = end; }

  void add(const spool::Spool& spool);

  // Return ids for rows of GENERIC_EVENTS, and for groups of counters in a domain; other builders
  // use them, too. A type id of 0 means that there are too many groups.
  std::int64_t next_event() { return ++last_event_; }
  std::int64_t next_counter_type(std::int64_t domain);
  // Writes, once, the row of the source of all counters but GPU_METRICS. Returns its id.
  std::int64_t counter_source();

  const MetricStats& stats() const { return stats_; }
  std::int64_t last_time() const { return last_time_; }

 private:
  struct Group {
    std::int64_t type_id = 0;
    std::int64_t global_tid = 0;
    bool is_gpu = false;
    bool described = false;
    spool::MetricSourceNote note;
  };

  void find_groups(const spool::Notes& notes);
  void describe(Group& group);
  void describe_source(bool is_gpu);
  void describe_payload(const Group& group) const;
  void add(const spool::MetricPiece& piece, Group& group);
  void add_sample(const Group& group, std::int64_t time, std::uint64_t missing,
                  const std::byte* values);
  void add_value(const Group& group, std::size_t field, std::uint64_t bits);

  const spool::ClockModel& clock_;
  report::ReportWriter& writer_;
  std::optional<std::int64_t> window_end_;
  std::map<std::uint32_t, Group> groups_;  // by MetricSourceNote::id
  bool has_source_[2] = {};  // row of GENERIC_EVENT_SOURCES written: for GPU metrics, for others
  std::int64_t counter_groups_ = 0;
  std::int64_t last_event_ = 0;  // GENERIC_EVENTS.genericEventId
  MetricStats stats_;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
