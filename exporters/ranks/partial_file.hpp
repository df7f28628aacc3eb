// The partial result of a report in a file beside it. It saves reading the events of the report
// once more, as long as the report is the one that it was made of.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/ranks/map.hpp"
#include "exporters/ranks/partial.hpp"
#include "exporters/ranks/picture/report_head.hpp"
#include "exporters/ranks/report_ranks.hpp"

namespace prof::ranks {

// Returns the name of the file: "report1.db.partial".
std::string partial_path(const std::string& report);

// Reads the events of a report and writes the file, which has the usual statistics, what recipes
// read, and the pictures of the ranks. It replaces a former one when it is complete.
base::Status write_partial_file(const std::string& report);

// Reads only what a page about the job shows first. Fails as PartialFile::read() does.
base::Result<ReportHead> read_partial_head(const std::string& report);

// A file that was read.
class PartialFile {
 public:
  // Fails if the file is damaged, or was made by another version or of another state of the report.
  // The error says which of them.
  static base::Result<PartialFile> read(const std::string& report);

  // True if the file has these statistics of these ranks, `without_sketches` in them if wanted.
  bool has(const std::vector<ReportRank>& ranks, const std::vector<Request>& requests,
           bool without_sketches = false) const;

  // Returns what map_report() returns without a filter. The file must have it. Adds the remarks on
  // the report that were made then to `reader`.
  Partial partial(const report::ReportReader& reader, const std::vector<ReportRank>& ranks,
                  const std::vector<Request>& requests, const Limits& limits = {}) const;

 private:
  std::vector<Sums> sums_;  // by ReportRank::place
  std::vector<std::string> remarks_;
};

// As map_report(), from the file beside the report if there is one that fits. Otherwise sets
// `unfit` to the reason, unless there is no file.
base::Result<Partial> read_or_map(const report::ReportReader& reader,
                                  const std::vector<ReportRank>& ranks,
                                  const std::vector<Request>& requests,
                                  const report::EventFilter& filter, std::string& unfit);
// The same without sketches.
base::Result<Partial> read_or_map_values(const report::ReportReader& reader,
                                         const std::vector<ReportRank>& ranks,
                                         const std::vector<Request>& requests,
                                         const report::EventFilter& filter);

}  // namespace prof::ranks
