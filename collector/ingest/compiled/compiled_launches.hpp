// Writes PROF_COMPILED_LAUNCHES: what the files of PyTorch's Inductor say about the kernels that
// they launch. The files are read when a report is made, because they may vanish afterwards.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/chain_records.hpp"

namespace prof::ingest {

class CompiledLaunches {
 public:
  // First pass: a function that was in a call chain.
  void define(std::uint32_t serial, const wire::PythonCodeRecord& record) {
    functions_.emplace(serial, record.file);
  }

  // Reads the files in which the functions are that Inductor wrote. Writes nothing for a file that
  // cannot be read.
  void write(const ProcessTable& processes, const StringTable& strings,
             report::ReportWriter& writer) const;

 private:
  std::set<std::pair<std::uint32_t, std::uint64_t>> functions_;  // serial, string hash of the file
};

}  // namespace prof::ingest
