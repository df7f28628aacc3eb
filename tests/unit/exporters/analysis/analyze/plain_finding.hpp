// Findings as people read them: without the marks of names.
#pragma once

#include <optional>
#include <utility>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::test {

// Returns the finding, or one with an empty name.
inline analyze::Finding plain(std::optional<analyze::Finding> found) {
  analyze::Finding finding = std::move(found).value_or(analyze::Finding{});
  finding.sentence = base::without_marks(finding.sentence);
  finding.evidence = base::without_marks(finding.evidence);
  return finding;
}

inline analyze::Diagnosis plain(analyze::Diagnosis diagnosis) {
  diagnosis.verdict.sentence = base::without_marks(diagnosis.verdict.sentence);
  for (analyze::Finding& each : diagnosis.findings) each = plain(std::optional(std::move(each)));
  return diagnosis;
}

}  // namespace prof::test
