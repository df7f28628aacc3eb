// Pairs the kernel's records of the start and end of system calls; writes rows of SYSCALL.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <unordered_map>

#include "collector/ingest/cpu/kernel_tasks.hpp"
#include "collector/ingest/cpu/kernel_timeline.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

struct SystemCallStats {
  std::uint64_t calls = 0;        // rows
  std::uint64_t dropped = 0;      // records that were dropped because the kernel's buffer was full
  std::uint64_t incomplete = 0;   // calls without a row, because one of their records was dropped
  std::uint64_t in_progress = 0;  // calls that had not returned at the end of the session
  std::uint64_t corrupt_bytes = 0;  // skipped bytes
};

class SystemCallBuilder {
 public:
  // The references outlive the builder.
  SystemCallBuilder(const spool::ClockModel& clock, const ProcessTable& processes,
                    report::ReportWriter& writer)
      : clock_(clock),
        writer_(writer),
        tasks_(processes, clock, writer.memory()),
        calls_(writer.memory()) {}

  // Adds all records of a session. `dropped`: the kernel's count at the end; 0: none.
  void add(std::span<const spool::KernelPiece> pieces, std::uint64_t dropped);

  // Ends calls in progress at `end`. If records were dropped, these calls are left out, because
  // their ends may be among the dropped records.
  void finish(std::int64_t end);

  // Writes PROCESSES and ThreadNames for tasks that only the kernel reported.
  void write_names(NamedTasks& named) { tasks_.write_names(writer_, named); }

  const SystemCallStats& stats() const { return stats_; }
  std::int64_t last_time() const { return last_time_; }

 private:
  // A call that has not returned yet.
  struct Call {
    std::uint64_t time;
    std::uint32_t pid;
    std::uint32_t tid;
    std::uint32_t number;
    bool is_32_bit;
    std::uint32_t cpu;
    std::uint64_t gap;  // how many times this CPU had dropped records
  };
  void handle(const KernelEvent& event);
  void enter(const KernelEvent& event);
  void exit(const spool::KernelRecord& record);
  void exec(const spool::KernelRecord& record);
  void end_thread(const spool::KernelRecord& record);
  void add_row(const Call& call, std::int64_t end);
  std::int32_t name_id(const Call& call);

  const spool::ClockModel& clock_;
  report::ReportWriter& writer_;
  KernelTasks tasks_;
  std::pmr::unordered_map<std::uint32_t, Call> calls_;     // calls in progress, by tid
  std::unordered_map<std::uint32_t, std::uint64_t> gaps_;  // by CPU
  std::unordered_map<std::uint64_t, std::int32_t> name_ids_;
  SystemCallStats stats_;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
