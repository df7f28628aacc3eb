// The reports of a job whose timelines are open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "exporters/viewer/answers/answers.hpp"

namespace prof::view {

// May be used by several threads.
class OpenReports {
 public:
  explicit OpenReports(events::RangeOf range_of, SourceFolders source_folders = {},
                       std::size_t most = 16)
      : range_of_(range_of), source_folders_(std::move(source_folders)), most_(most) {}

  // Returns the answers of a report, which is opened if it is not open. Then the one that was not
  // used for the longest time is closed if too many are open. A page that was made from another
  // opening gets 409, because rows have other ids now.
  Outcome<std::shared_ptr<const Answers>> get(std::size_t report, const std::string& path,
                                              std::optional<std::int64_t> opening);

 private:
  struct Open {
    std::size_t report;
    std::shared_ptr<const Answers> answers;
  };
  std::shared_ptr<const Answers> find(std::size_t report);

  const events::RangeOf range_of_;
  const SourceFolders source_folders_;
  const std::size_t most_;
  std::mutex opening_;    // held while a report is opened
  std::mutex mutex_;      // protects what follows
  std::list<Open> open_;  // the one that was used last comes first
  std::int64_t openings_ = 0;
};

}  // namespace prof::view
