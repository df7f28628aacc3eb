// Rows of CPU samples and context switches.
#pragma once

#include <compare>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <vector>

#include "collector/ingest/cpu/kernel_tasks.hpp"
#include "collector/ingest/cpu/kernel_timeline.hpp"
#include "collector/ingest/cpu/sample_chains.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/sample_records.hpp"

namespace prof::ingest {

struct CpuStats {
  std::uint64_t samples = 0;
  std::uint64_t switches = 0;
  std::uint64_t dropped = 0;  // records that were dropped because the kernel's buffer was full
  std::uint64_t corrupt_bytes = 0;  // skipped bytes
};

class CpuBuilder {
 public:
  // The references outlive the builder.
  CpuBuilder(const spool::ClockModel& clock, const ProcessTable& processes, StackTable& stacks,
             report::ReportWriter& writer)
      : clock_(clock),
        chains_(stacks, writer),
        writer_(writer),
        tasks_(processes, clock, writer.memory()),
        runs_(writer.memory()),
        on_cpu_(writer.memory()),
        own_samples_(writer.memory()) {}

  // Leaves out samples before time 0 and after `end`.
  void set_window(std::int64_t end) { window_end_ = end; }

  // Adds all records of a source. `switches`: the source recorded context switches. `dropped`: the
  // kernel's count at the end; 0: none.
  void add(std::span<const spool::KernelPiece> pieces, spool::KernelSource source, bool switches,
           std::uint64_t dropped);

  // Adds a sample that a process took of itself. write_own_samples() writes the rows.
  void add_own_sample(std::int64_t global_tid, const wire::CpuSampleNodeRecord& record);
  void write_own_samples();

  // Writes PROCESSES and ThreadNames for tasks that only the kernel reported.
  void write_names(NamedTasks& named) { tasks_.write_names(writer_, named); }

  const CpuStats& stats() const { return stats_; }
  std::int64_t last_time() const { return last_time_; }

 private:
  struct OwnSample {
    std::int64_t time;
    std::int64_t global_tid;
    std::uint32_t node;
    std::uint32_t cpu;
    std::uint32_t periods;

    auto operator<=>(const OwnSample&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  void sample(const KernelEvent& event);
  void write_sample(report::SampleRow row, std::uint32_t node);
  // What is known of a thread's runs.
  struct Run {
    std::int64_t global_tid = 0;  // of its last row; 0: none
    std::int64_t since = 0;       // ns, start of the last run
    std::uint32_t cpu = 0;        // of the last run
    bool is_running = false;
    bool is_known = false;  // a record said whether it runs
    bool has_ended = false;
  };
  void begin_run(const KernelEvent& event);
  void end_run(const KernelEvent& event, report::ThreadState state);
  void schedule(const KernelEvent& event);
  // Ends the run of the thread that was last seen on a CPU, because another one runs there now.
  void free_cpu(const KernelEvent& event, report::ThreadState state);
  // If the thread's process has become another one, ends the thread in the report and begins the
  // new one's.
  void follow_process(Run& run, const KernelEvent& event, std::int64_t global_tid);
  void write_switch(std::int64_t time, std::int64_t global_tid, std::uint32_t cpu, bool is_in,
                    report::ThreadState state);
  bool is_in_window(std::int64_t time) const {
    return !window_end_ || (time >= 0 && time <= *window_end_);
  }

  const spool::ClockModel& clock_;
  SampleChains chains_;
  report::ReportWriter& writer_;
  std::optional<std::int64_t> window_end_;
  KernelTasks tasks_;
  std::pmr::unordered_map<std::uint32_t, Run> runs_;              // by tid
  std::pmr::unordered_map<std::uint32_t, std::uint32_t> on_cpu_;  // by CPU: tid of the last run
  std::pmr::vector<OwnSample> own_samples_;
  CpuStats stats_;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
