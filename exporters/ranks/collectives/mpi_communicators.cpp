#include "exporters/ranks/collectives/mpi_communicators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::ranks {

base::Result<MpiCommunicators> MpiCommunicators::read(const report::ReportReader& reader) {
  MpiCommunicators result;
  for (const char* column : {"timestamp", "parentHandle", "groupRootUid", "localRank"})
    if (!reader.has_table("MPI_RANKS") || !reader.has_column("MPI_COMMUNICATORS", column))
      return result;
  struct World {
    std::int64_t size = 0;
    int whole = 0;  // communicators with all ranks
  };
  std::map<std::int64_t, World> worlds;  // by process
  const base::Status read = events::for_each_row(
      reader,
      "SELECT r.globalTid, c.commHandle, c.timestamp, c.parentHandle, c.size, c.groupRoot, "
      "c.groupRootUid, c.localRank FROM main.MPI_COMMUNICATORS c JOIN main.MPI_RANKS r USING "
      "(rank) "
      "ORDER BY c.timestamp",
      [&](const report::Statement& row) {
        const std::int64_t process = events::global_pid_of(row.integer(0));
        const std::int64_t time = row.integer(2);
        const std::int64_t parent = row.integer(3);
        World& world = worlds[process];
        if (parent == 0) world.size = row.integer(4);
        Name name;
        // A copy has no size, but that of its parent.
        if (row.is_null(4)) name = result.of(process, parent, time);
        if (!row.is_null(4)) name.ranks = row.integer(4);
        if (!row.is_null(7)) name.own = row.integer(7);
        // An intercommunicator has the size of the own group only.
        const bool is_inter = parent != 0 && !row.is_null(4) && row.is_null(5);
        name.has_all_ranks = !is_inter && world.size > 0 && name.ranks == world.size;
        if (name.has_all_ranks)
          name.text = fmt::format("MPI all.{}", world.whole++);
        else if (!row.is_null(5) && !row.is_null(6))
          name.text = fmt::format("MPI {}.{}", row.integer(5), row.integer(6));
        else  // only this process knows it by this name
          name.text = fmt::format("MPI {:#x} of {:#x}", row.integer(1), process);
        result.names_[{process, row.integer(1)}].push_back({time, name});
      });
  if (!read) return tl::make_unexpected(read.error());
  return result;
}

MpiCommunicators::Name MpiCommunicators::of(std::int64_t global_pid, std::int64_t handle,
                                            std::int64_t time) const {
  const auto found = names_.find({global_pid, handle});
  if (found != names_.end()) {
    const auto after = std::ranges::upper_bound(found->second, time, {}, &Entry::time);
    if (after != found->second.begin()) return std::prev(after)->name;
  }
  Name unknown;
  unknown.text = fmt::format("MPI {:#x}", handle);
  return unknown;
}

}  // namespace prof::ranks
