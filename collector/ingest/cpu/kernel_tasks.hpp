// Names of the threads and processes that the kernel told of: some are announced by nobody else.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

#include "collector/ingest/cpu/kernel_timeline.hpp"
#include "collector/report/report_writer.hpp"

namespace prof::ingest {

// What has rows in ThreadNames and PROCESSES.
struct NamedTasks {
  std::set<std::int64_t> threads;     // global tids
  std::set<std::uint32_t> processes;  // pids
};

class KernelTasks {
 public:
  // Events in the order of their times; others than forks, names and ends are passed over.
  void follow(const KernelEvent& event);
  // A row of the report is about that thread.
  void mention(std::uint32_t pid, std::uint32_t tid);
  // Names those of the mentioned ones that have none yet.
  void write_names(report::ReportWriter& writer, NamedTasks& named);

 private:
  struct Thread {
    std::uint32_t pid = 0;
    std::string name;
    bool is_mentioned = false;
  };
  void fork(const spool::KernelRecord& record);
  void keep_name(std::uint32_t tid, const Thread& thread);

  std::unordered_map<std::uint32_t, Thread> threads_;             // alive, by tid
  std::unordered_map<std::int64_t, std::string> thread_names_;    // by global tid
  std::unordered_map<std::uint32_t, std::string> process_names_;  // by pid; of all
  std::set<std::uint32_t> mentioned_processes_;
};

}  // namespace prof::ingest
