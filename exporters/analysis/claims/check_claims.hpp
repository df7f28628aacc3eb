// Verifies claims against a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text/marked_name.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/claims/claim.hpp"
#include "exporters/analysis/facts/facts.hpp"

namespace prof::claims {

enum class Judgement {
  kSupported,
  kContributing,  // of a cause: it is one, but not the largest
  kContradicted,
  kNotMeasurable,
  kUnsupported,  // of a number in a text: no fact has it
};
const char* name_of(Judgement judgement);  // "not measurable"

struct Checked {
  std::string claim;
  Judgement judgement = Judgement::kNotMeasurable;
  std::optional<double> value = {};  // what the report says, in ns, bytes or as a number
  Unit unit = Unit::kNone;
  double tolerance = 0;  // part of the number; counts and order are exact
  const char* basis = "measured";
  std::string sql = {};  // that gives the value; empty: none
  std::vector<analyze::EvidenceRows> rows = {};
  std::string larger = {};  // of a cause that is contradicted: the rule with more time at stake
  std::string why = {};     // what is not measurable
  const char* fix = "";     // the option that records it
  // Of a number in a text (check_answer.hpp).
  std::size_t line = 0;
  std::optional<base::KnownName> subject = {};
  std::string quantity = {};
};

// The named views of the report (exporters/analysis/query) have to be made before. Fails if the
// claim has an unknown finding.
base::Result<Checked> check_claim(const report::ReportReader& reader, const facts::FactSheet& sheet,
                                  const Claim& claim);

// Returns one JSON object with the verdict of each claim, or lines for people.
std::string checked_json(const std::vector<Checked>& checked);
std::string checked_text(const std::vector<Checked>& checked);

}  // namespace prof::claims
