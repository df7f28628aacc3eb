// Describes the machine in a Chrome trace, in the same form as PyTorch's profiler.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/formats/chrome/chrome.hpp"

namespace prof::formats {

// Returns the members of the document before the events, with a comma at the end.
base::Result<std::string> chrome_header(const report::ReportReader& reader,
                                        const ChromeTrace& trace);

}  // namespace prof::formats
