// Typed facts about a report or a job, for programs that read them: the findings with units and
// evidence, and what the report cannot answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/facts/missing.hpp"

namespace prof::facts {

struct Subject {
  std::string id;           // of the report's contents: an answer about another file is noticed
  std::size_t reports = 1;  // more: a job
};

// How a number came about.
enum class Basis {
  kMeasured,   // a query on the report's tables gives it
  kDerived,    // computed of events
  kSampled,    // counted in samples
  kEstimated,  // computed with limits and rates of the hardware, or with a model
};
const char* name_of(Basis basis);
Basis basis_of(const analyze::Finding& finding);

struct FactSheet {
  Subject subject;
  analyze::Diagnosis diagnosis;
  std::vector<Missing> cannot;
};

// Returns a word for the verdict that does not change: "gpu_compute_bound".
std::string verdict_word(const analyze::Diagnosis& diagnosis);

// Returns the facts with at most `bytes` bytes, if that is possible by leaving out the facts with
// the least time at stake, then rows, then queries. "dropped" says what is missing. 0: no limit.
// Names of the report are in "names" only.
std::string facts_json(const FactSheet& sheet, std::size_t bytes);

// Returns the same for people. Names are in a list at the end.
std::string facts_text(const FactSheet& sheet, std::size_t bytes);

}  // namespace prof::facts
