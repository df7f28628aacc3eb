// Names of threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <string>
#include <utility>

#include "collector/ingest/cpu/kernel_tasks.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/records.hpp"

namespace prof::ingest {

class ThreadNames {
 public:
  explicit ThreadNames(std::pmr::memory_resource* memory) : names_(memory) {}

  void add(std::uint32_t serial, std::uint32_t tid, const wire::ThreadRecord& record);
  // The record names any thread of the process.
  void add(std::uint32_t serial, const wire::ThreadNameRecord& record);

  // Writes a row of ThreadNames for each thread that is not in `named`, and adds the thread to
  // `named`.
  void write(const ProcessTable& processes, const StringTable& strings,
             report::ReportWriter& writer, NamedTasks& named) const;

 private:
  struct Name {
    std::uint64_t given = 0;  // string hash of the name that the program gave; 0: none
    std::string kernel_name;  // at most 15 bytes
    std::int64_t priority = 20;
    bool from_nvtx = false;
  };
  std::pmr::map<std::pair<std::uint32_t, std::uint32_t>, Name> names_;  // by serial and tid
};

}  // namespace prof::ingest
