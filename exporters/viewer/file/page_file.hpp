// Writes the page and the data of a report as one file of HTML.
#pragma once

#include <cstdint>

#include "exporters/formats/output.hpp"
#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

struct PageFileContents {
  std::uint64_t events = 0;
  std::uint64_t with_details = 0;  // number of events with details, which are the longest
};

// Waits until the timeline is loaded, and writes the events that overlap the span.
base::Result<PageFileContents> write_page_file(const Answers& answers, timeline::Span span,
                                               const formats::Output& output);

// The notice that is in the file, and that prof prints when it writes a file.
inline constexpr const char* kFileNotice =
    "This file holds names, paths and command lines of the program. Keep that in mind when you "
    "pass it on.";

}  // namespace prof::view
