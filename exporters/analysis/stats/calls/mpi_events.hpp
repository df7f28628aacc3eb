// Reads the MPI calls of a report, from all four tables.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::stats {

enum class MpiSource { kPointToPoint, kCollective, kStartWait, kOther };

struct MpiEvent {
  MpiSource source;
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  std::int64_t name;  // StringIds.id
  std::optional<std::int64_t> tag;
  std::optional<std::int64_t> peer;  // rank at the other end
  std::optional<std::int64_t> root;
  std::optional<std::int64_t> size;  // bytes; for a collective operation the bytes sent
  std::optional<std::int64_t> received;

  std::int64_t duration() const { return end - start; }
};

// Calls `visit` for every call that has ended.
base::Status for_each_mpi_event(const report::ReportReader& reader,
                                const std::function<void(const MpiEvent&)>& visit);

// Ranks in MPI_COMM_WORLD by process.
using MpiRanks = std::unordered_map<std::int64_t, std::int64_t>;
base::Result<MpiRanks> mpi_ranks_of(const report::ReportReader& reader);

}  // namespace prof::stats
