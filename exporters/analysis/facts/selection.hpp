// Facts about some topics only.
#pragma once

#include <span>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/facts/facts.hpp"

namespace prof::facts {

// Adds the statistics of the topics, and leaves out what is about none of them. With the topic
// "verdict" all findings stay.
base::Status select_topics(const report::ReportReader& reader, std::span<const Topic> topics,
                           FactSheet& sheet);

}  // namespace prof::facts
