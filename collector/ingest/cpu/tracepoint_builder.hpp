// Writes rows of GENERIC_EVENTS for events of the kernel's tracepoints, and the tables that
// describe them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/ingest/cpu/kernel_tasks.hpp"
#include "collector/ingest/cpu/kernel_timeline.hpp"
#include "collector/ingest/cpu/tracepoint_fields.hpp"
#include "collector/ingest/metrics/metric_builder.hpp"
#include "collector/spool/notes.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

struct TracepointStats {
  std::uint64_t events = 0;   // rows
  std::uint64_t dropped = 0;  // records that were dropped because the kernel's buffer was full
  std::uint64_t corrupt_bytes = 0;  // skipped bytes
};

class TracepointBuilder {
 public:
  // The references outlive the builder.
  TracepointBuilder(const spool::ClockModel& clock, const ProcessTable& processes,
                    MetricBuilder& metrics, report::ReportWriter& writer)
      : clock_(clock),
        metrics_(metrics),
        writer_(writer),
        tasks_(processes, clock, writer.memory()) {}

  // Leaves out events before time 0 and after `end`.
  void set_window(std::int64_t end) { window_end_ = end; }

  // Adds all records of a session. `dropped`: the kernel's count at the end; 0: none.
  void add(const spool::Notes& notes, std::span<const spool::KernelPiece> pieces,
           std::uint64_t dropped);

  // Writes PROCESSES and ThreadNames for tasks that only the kernel reported.
  void write_names(NamedTasks& named) { tasks_.write_names(writer_, named); }

  const TracepointStats& stats() const { return stats_; }
  std::int64_t last_time() const { return last_time_; }

 private:
  struct Type {
    std::string name;
    std::string printed;  // how ftrace prints an event
    std::vector<TracepointField> fields;
    bool is_described = false;
  };

  void handle(const KernelEvent& event);
  void add_event(const KernelEvent& event, std::int64_t time);
  void add_values(const Type& type, std::int64_t event, std::span<const std::byte> record);
  void describe(std::size_t number);

  const spool::ClockModel& clock_;
  MetricBuilder& metrics_;
  report::ReportWriter& writer_;
  KernelTasks tasks_;
  std::vector<Type> types_;
  bool has_source_ = false;  // row of GENERIC_EVENT_SOURCES written
  std::optional<std::int64_t> window_end_;
  TracepointStats stats_;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
