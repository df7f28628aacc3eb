// The functions that make answers. Each is in a file with its name: answer_rows() in rows.cpp,
// answer_statistic() in report/statistics.cpp. A new function needs a line here, a line in
// answers.cpp, and its file in CMakeLists.txt.
#pragma once

#include "exporters/viewer/answers/answers.hpp"

namespace prof::view {

Outcome<Answer> answer_diff(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_event(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_events(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_find(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_flame(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_names(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_path(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_query(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_rows(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_sections(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_source(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_statistic(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_statistics(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_summary(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_tile(const Sources& sources, const Parameters& parameters);
Outcome<Answer> answer_used(const Sources& sources, const Parameters& parameters);

}  // namespace prof::view
