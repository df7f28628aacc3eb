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
  explicit Ranks(std::pmr::memory_resource* memory) : texts_(memory), worlds_(memory) {}

  void add(std::uint32_t serial, const wire::RankVariableRecord& record);

  // Sets the rank that MPI itself gave to a process image, in a job of `size` ranks.
  void set_world(std::uint32_t serial, std::int64_t rank, std::int64_t size);

  // Writes rows for each process that reported variables or has joined an MPI job. A child that was
  // forked has those of its parent, too.
  void write(const ProcessTable& processes, const StringTable& strings,
             report::ReportWriter& writer) const;

 private:
  struct World {
    std::int64_t rank, size;
  };

  std::pmr::map<std::uint32_t, std::vector<std::uint64_t>> texts_;  // string hashes, by serial
  std::pmr::map<std::uint32_t, World> worlds_;                      // by serial
};

}  // namespace prof::ingest
