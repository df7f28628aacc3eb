// What a page about a job shows first of a report: its ranks, their pictures, and its clock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/ranks/clocks/report_clock.hpp"
#include "exporters/ranks/picture/rank_picture.hpp"
#include "exporters/ranks/report_ranks.hpp"

namespace prof::ranks {

struct ReportHead {
  std::vector<ReportRank> ranks;      // all that the report has
  std::vector<RankPicture> pictures;  // of each rank
  ReportClock clock;                  // without readings of the wall clock and collectives
};

// Reads the events of the report.
base::Result<ReportHead> read_head(const report::ReportReader& reader);

// Returns the head of a report from the file with partial results beside it (partial_file.hpp) if
// this fits, otherwise from the events.
base::Result<ReportHead> read_or_make_head(const std::string& report);

std::string bytes_of(const ReportHead& head);
// The path of the clock is empty.
base::Result<ReportHead> head_of(std::string_view bytes);

}  // namespace prof::ranks
