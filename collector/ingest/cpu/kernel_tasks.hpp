// Names of the threads and processes in the kernel's records. Tasks that join no session have no
// other names.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <set>
#include <string>
#include <unordered_map>

#include "collector/ingest/cpu/kernel_timeline.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

// Tasks that have rows in ThreadNames and PROCESSES.
struct NamedTasks {
  explicit NamedTasks(std::pmr::memory_resource* memory) : threads(memory), processes(memory) {}

  std::pmr::set<std::int64_t> threads;     // global tids
  std::pmr::set<std::uint32_t> processes;  // pids
};

class KernelTasks {
 public:
  // The references outlive the object.
  KernelTasks(const ProcessTable& processes, const spool::ClockModel& clock,
              std::pmr::memory_resource* memory)
      : processes_(processes),
        clock_(clock),
        threads_(memory),
        thread_names_(memory),
        process_names_(memory),
        mentioned_processes_(memory) {}

  // Processes events, which come in order of time: forks, names and ends of tasks.
  void follow(const KernelEvent& event);
  // Returns the global tid of a thread that a row of the report is about, and makes write_names()
  // name it. `time`: of the kernel's clock.
  std::int64_t mention(std::uint32_t pid, std::uint32_t tid, std::uint64_t time);
  // Returns when the process began that had this pid at a time of the kernel's clock, in ns of the
  // report. Returns the smallest time if it was the first process with the pid.
  std::int64_t begin_of(std::uint32_t pid, std::uint64_t time) const;
  // Writes names of the mentioned tasks that are not in `named`.
  void write_names(report::ReportWriter& writer, NamedTasks& named);

 private:
  struct Thread {
    std::uint32_t pid = 0;
    std::string name;
    std::int64_t id = 0;  // global tid; 0: not mentioned
  };
  void fork(const spool::KernelRecord& record);
  void keep_name(const Thread& thread);

  const ProcessTable& processes_;
  const spool::ClockModel& clock_;
  // Names have at most 15 bytes, so they allocate nothing themselves.
  std::pmr::unordered_map<std::uint32_t, Thread> threads_;             // alive threads, by tid
  std::pmr::unordered_map<std::int64_t, std::string> thread_names_;    // by global tid
  std::pmr::unordered_map<std::uint32_t, std::string> process_names_;  // by pid
  std::pmr::set<std::uint32_t> mentioned_processes_;
};

}  // namespace prof::ingest
