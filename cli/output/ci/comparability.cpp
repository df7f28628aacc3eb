#include "cli/output/ci/comparability.hpp"

#include <fmt/format.h>

#include "cli/messages/failure.hpp"
#include "cli/output/report_access.hpp"

namespace prof::cli {

std::vector<recording::Recording> recordings_of(const ComparedSide& side) {
  std::vector<recording::Recording> recordings;
  for (const report::ReportReader& reader : side.readers)
    recordings.push_back(take(recording::read_recording(reader)));
  return recordings;
}

std::vector<recording::Recording> read_recordings(const std::vector<std::string>& reports) {
  std::vector<recording::Recording> recordings;
  for (const std::string& path : reports) {
    const auto reader = open_report(find_report_file(path), true);
    recordings.push_back(take(recording::read_recording(reader)));
  }
  return recordings;
}

void require_comparable(const std::vector<recording::Difference>& differences) {
  if (const recording::Difference* gpu = recording::other_gpu(differences))
    throw Failure(fmt::format("the reports cannot be compared, they differ in: {}; "
                              "--force-compare compares them anyway",
                              recording::text_of(*gpu)),
                  kNotComparable);
}

}  // namespace prof::cli
