// Pairs the kernel's enter and exit records of system calls into rows of SYSCALL, thread by thread,
// and names the processes and threads that were seen there only.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/ingest/clock_model.hpp"
#include "collector/ingest/kernel_timeline.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/report/report_writer.hpp"

namespace prof::ingest {

struct SystemCallStats {
  std::uint64_t calls = 0;          // rows
  std::uint64_t lost = 0;           // records that found the kernel's buffer full
  std::uint64_t torn = 0;           // calls left out since one of their ends was lost
  std::uint64_t in_progress = 0;    // calls that the end of the session cut short
  std::uint64_t corrupt_bytes = 0;  // that made no sense
};

class SystemCallBuilder {
 public:
  // The references outlive the builder.
  SystemCallBuilder(const ClockModel& clock, const ProcessTable& processes,
                    report::ReportWriter& writer)
      : clock_(clock), processes_(processes), writer_(writer) {}

  // Takes all records of a session. `lost`: what the kernel counted at the end, if it did.
  void add(std::span<const KernelPiece> pieces, std::uint64_t lost);

  // Ends calls that were in progress, at `end`. Where records were lost they are left out: the end
  // of such a call may be among these.
  void finish(std::int64_t end);

  // PROCESSES and ThreadNames of those that nobody but the kernel announced. `threads`: global ids
  // of those that have a name.
  void write_names(const std::set<std::int64_t>& threads);

  const SystemCallStats& stats() const { return stats_; }
  std::int64_t last_time() const { return last_time_; }

 private:
  // A call that has not returned yet.
  struct Call {
    std::uint64_t time;
    std::int64_t global_tid;
    std::uint32_t number;
    bool is_32_bit;
    std::uint32_t cpu;
    std::uint64_t gap;  // how often that CPU had lost records
  };
  struct Thread {
    std::uint32_t pid = 0;
    std::string name;
    std::optional<Call> call;
    bool has_rows = false;
  };

  void handle(const KernelEvent& event);
  void enter(const KernelEvent& event);
  void exit(const KernelRecord& record);
  void fork(const KernelRecord& record);
  void rename(const KernelEvent& event);
  void exec(const KernelRecord& record, Thread& leader);
  void end_thread(const KernelRecord& record);
  Thread& thread(std::uint32_t pid, std::uint32_t tid);
  void forget(std::uint32_t tid, Thread& thread);
  void add_row(Thread& thread, const Call& call, std::int64_t end);
  std::int32_t name_id(const Call& call);

  const ClockModel& clock_;
  const ProcessTable& processes_;
  report::ReportWriter& writer_;
  std::unordered_map<std::uint32_t, Thread> threads_;      // alive, by tid
  std::unordered_map<std::uint32_t, std::uint64_t> gaps_;  // by CPU
  std::unordered_map<std::uint64_t, std::int32_t> name_ids_;
  // Of everything that has rows.
  std::unordered_map<std::int64_t, std::string> thread_names_;    // by global tid
  std::unordered_map<std::uint32_t, std::string> process_names_;  // by pid; of all
  std::set<std::uint32_t> processes_with_rows_;
  SystemCallStats stats_;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
