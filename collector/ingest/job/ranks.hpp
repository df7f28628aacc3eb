// PROF_RANKS: which rank of a job each process is, by the variables that launchers set.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <vector>

#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/rank_variables.hpp"
#include "common/wire/records.hpp"

namespace prof::ingest {

class Ranks {
 public:
  explicit Ranks(std::pmr::memory_resource* memory) : texts_(memory) {}

  void add(std::uint32_t serial, const wire::RankVariableRecord& record);

  // Writes rows for each process that reported variables. A child that was forked has those of its
  // parent, too.
  void write(const ProcessTable& processes, const StringTable& strings,
             report::ReportWriter& writer) const;

 private:
  std::pmr::map<std::uint32_t, std::vector<std::uint64_t>> texts_;  // string hashes, by serial
};

}  // namespace prof::ingest
