// Typed facts about a report or a job, for programs that read them: the findings with units and
// evidence, and what the report cannot answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/facts/basis.hpp"
#include "exporters/analysis/facts/missing.hpp"
#include "exporters/analysis/facts/statistics.hpp"

namespace prof::facts {

struct Subject {
  std::string id;           // of the report's contents: an answer about another file is noticed
  std::size_t reports = 1;  // more: a job
  std::string path = {};    // of one report, for a command that draws it; empty: there is none
};

Basis basis_of(const analyze::Finding& finding);

struct FactSheet {
  Subject subject;
  analyze::Diagnosis diagnosis;
  std::vector<Missing> cannot;
  std::map<std::int64_t, std::string> nodes = {};  // of a job: the host of each rank
  bool has_verdict = true;                         // false: it was not asked for
  std::vector<Statistic> statistics = {};
};

// Returns a word for the verdict that does not change: "gpu_compute_bound".
std::string verdict_word(const analyze::Diagnosis& diagnosis);

// Returns the facts with at most `bytes` bytes, if that is possible by leaving out the facts with
// the least time at stake and the last ones of each topic, then rows, then queries. "dropped" says
// what is missing. 0: no limit.
// Names of the report are in "names" only.
std::string facts_json(const FactSheet& sheet, std::size_t bytes);

// Returns the same for people. Names are in a list at the end.
std::string facts_text(const FactSheet& sheet, std::size_t bytes);

}  // namespace prof::facts
