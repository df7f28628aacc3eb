// Writes verdicts and findings in JSON.
#pragma once

#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/viewer/answers/outcome.hpp"

namespace prof::view {

// Adds "name", "sentence" and "span" to an object.
void add_verdict(Json& json, const analyze::Diagnosis& diagnosis);
// Adds "rule", "sentence", "evidence", "remedy", "share" of the span and "at_stake" to an object.
void add_finding(Json& json, const analyze::Finding& finding, const analyze::Diagnosis& of);

}  // namespace prof::view
