// What a rank does over time, in bins: for a picture of all ranks of a job.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/ranks/report_ranks.hpp"

namespace prof::ranks {

// What a GPU does, or why it is idle. Of a rank without GPU work: communication of MPI, and the CPU
// between.
enum class RankState : std::uint8_t {
  kCompute,
  kCommunication,  // exposed: nothing computes meanwhile
  kCopies,         // exposed: nothing computes or communicates meanwhile
  kLaunch,         // idle: a launch or a synchronization is in progress
  kDataLoading,    // idle: the host waits for data
  kCpu,            // idle: the host has not launched the next operation yet
  kIdle,           // idle for another reason
};
inline constexpr std::size_t kRankStates = 7;

struct RankPicture {
  static constexpr std::size_t kMostBins = 1024;
  static constexpr unsigned kWholeBin = 255;

  std::int64_t begin = 0;  // ns, of the report: when the first bin begins
  std::int64_t end = 0;    // of the last event
  unsigned shift = 0;      // a bin has 2^shift ns
  // The share of each bin, of kWholeBin. With several GPUs it is their average.
  std::array<std::vector<std::uint8_t>, kRankStates> shares;
  std::array<std::int64_t, kRankStates> times{};  // ns, the sums over the GPUs

  std::size_t bins() const { return shares[0].size(); }
  // Adds the part of a time that each bin has, in ns.
  template <class Number>
  void add(const insight::Interval& time, std::vector<Number>& bins) const {
    std::int64_t start = std::max(time.start, begin) - begin;
    const std::int64_t last = std::min(time.end, end) - begin;
    while (start < last) {
      const std::int64_t bin = start >> shift;
      const std::int64_t until = std::min(last, (bin + 1) << shift);
      bins[static_cast<std::size_t>(bin)] += static_cast<Number>(until - start);
      start = until;
    }
  }
  bool operator==(const RankPicture&) const = default;
};

// The times of one GPU, or of a process without GPU work.
using StateTimes = std::array<insight::Intervals, kRankStates>;
RankPicture picture_of(const std::vector<StateTimes>& devices);

// Reads the events in the views, which are those of `rank`.
base::Result<RankPicture> read_picture(const report::ReportReader& reader, const ReportRank& rank);

// Equal bins after one another are short.
void append_picture(std::string& bytes, const RankPicture& picture);
base::Result<RankPicture> read_picture(std::string_view& bytes);

}  // namespace prof::ranks
