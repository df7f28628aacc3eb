// What a report says about its place in a job of several ranks, and about the clocks of its
// machine: PROF_RANKS and PROF_CLOCKS.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::info {

// A process's rank, as one source gives it.
struct Rank {
  std::int64_t pid = 0;
  std::int64_t rank = 0;
  std::optional<std::int64_t> size;        // number of ranks
  std::optional<std::int64_t> local_rank;  // among the ranks of the node
  std::optional<std::int64_t> node_rank;   // number of the node
  std::string job;                         // empty: unknown
  std::optional<std::int64_t> attempt;
  std::string source;           // "torchrun"
  std::int64_t precedence = 0;  // 0: the best source of the process
};

// How well the machine's wall clock is known, at the end of the recording.
struct WallClock {
  bool is_synchronized = false;    // by the kernel's word
  std::int64_t max_error = 0;      // by the kernel's word, ns
  std::string boot_id;             // reports with the same one share a clock
  std::int64_t started = 0;        // CLOCK_MONOTONIC_RAW at time 0 of the report, ns
  std::int64_t started_epoch = 0;  // CLOCK_REALTIME at time 0, ns since the epoch
};

// Returns the rows of PROF_RANKS: by process, the best source first. Empty without the table.
base::Result<std::vector<Rank>> read_ranks(const report::ReportReader& reader);

// Returns nothing if the report has no readings of clocks.
base::Result<std::optional<WallClock>> read_wall_clock(const report::ReportReader& reader);

// Returns "3 of 8 (torchrun), job 4711", or "0 to 7 of 8 (...)" for several; empty without ranks.
std::string ranks_text(const std::vector<Rank>& ranks);

// Returns the ranks of a job of `size` ranks that are not present.
std::set<std::int64_t> missing_ranks(const std::set<std::int64_t>& present, std::int64_t size);

// Returns "Without a report: rank 3, 5 of job 4711.", with the first 20 ranks. `job`: empty if it
// is not known.
std::string remark_on_ranks(std::string_view what, const std::set<std::int64_t>& ranks,
                            const std::string& job);

// Returns "synchronized within 2.5 ms", or "not synchronized".
std::string wall_clock_text(const WallClock& clock);

}  // namespace prof::info
