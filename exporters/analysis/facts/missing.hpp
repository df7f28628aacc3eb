// What a report cannot answer, because it was not recorded or was lost.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::facts {

struct Missing {
  const char* topic;  // a word that does not change: "cpu_samples"
  const char* why;
  const char* fix;  // the option that records it; "": none
  std::vector<analyze::EvidenceRows> rows = {};
};

// Returns what the report has no events of. Losses come first. `has_gpu_work`: the topics about
// GPUs matter.
base::Result<std::vector<Missing>> missing_topics(const report::ReportReader& reader,
                                                  bool has_gpu_work);

// Returns the topic if the report has no events of it.
std::optional<Missing> missing_topic(const report::ReportReader& reader, std::string_view topic);

// Returns 16 hexadecimal digits that depend on the start of the session and on the sizes of all
// tables.
base::Result<std::string> report_id(const report::ReportReader& reader);

}  // namespace prof::facts
