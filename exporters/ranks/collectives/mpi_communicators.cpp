#include "exporters/ranks/collectives/mpi_communicators.hpp"

#include <fmt/format.h>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::ranks {

base::Result<MpiCommunicators> MpiCommunicators::read(const report::ReportReader& reader) {
  MpiCommunicators result;
  if (!reader.has_table("MPI_RANKS") || !reader.has_column("MPI_COMMUNICATORS", "groupRootUid"))
    return result;
  const base::Status read =
      events::for_each_row(reader,
                           "SELECT r.globalTid, c.commHandle, c.groupRoot, c.groupRootUid, c.size "
                           "FROM main.MPI_COMMUNICATORS c JOIN main.MPI_RANKS r USING (rank) "
                           "WHERE c.groupRoot IS NOT NULL AND c.groupRootUid IS NOT NULL",
                           [&](const report::Statement& row) {
                             const std::int64_t process = events::global_pid_of(row.integer(0));
                             result.names_[{process, row.integer(1)}] = {
                                 fmt::format("MPI {}.{}", row.integer(2), row.integer(3)),
                                 row.is_null(4) ? 0 : row.integer(4)};
                           });
  if (!read) return tl::make_unexpected(read.error());
  return result;
}

MpiCommunicators::Name MpiCommunicators::of(std::int64_t global_pid, std::int64_t handle) const {
  const auto found = names_.find({global_pid, handle});
  return found != names_.end() ? found->second : Name{fmt::format("MPI {:#x}", handle), 0};
}

}  // namespace prof::ranks
