// Names of a report in a text, and the numbers that the report has of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/claims/answer_text.hpp"
#include "exporters/analysis/claims/check_claims.hpp"
#include "exporters/analysis/facts/facts.hpp"

namespace prof::claims {

struct KnownNumber {
  std::string quantity;  // "median"
  Measure measure;
  double value;
  double tolerance;  // part of the value
  const char* basis;
};

// What a number of the text can be about.
struct AnswerSubject {
  std::string kind;  // "kernel", "finding"
  std::string name;
  std::vector<KnownNumber> numbers = {};
  std::optional<Checked> missing = {};  // the report cannot say: why, and the option
};

struct Mention {
  std::size_t begin;  // bytes of the sentence
  std::size_t end;
  const AnswerSubject* subject;
};

class AnswerNames {
 public:
  // Looks for the names of the report in the text. The named views of the report
  // (exporters/analysis/query) have to be made before.
  static base::Result<AnswerNames> read(const report::ReportReader& reader,
                                        const facts::FactSheet& sheet, std::string_view text);

  // Returns the names in the sentence, in the order of their places, without overlaps.
  std::vector<Mention> mentions(std::string_view sentence) const;
  // What numbers without a name near them can be about: the findings, the verdict and the session.
  const std::vector<AnswerSubject>& general() const { return general_; }

 private:
  base::Status add_events(const report::ReportReader& reader, std::int64_t span,
                          std::string_view text);
  base::Status add_rules(const report::ReportReader& reader, const facts::FactSheet& sheet,
                         std::string_view text);

  void sort_texts();

  std::map<std::string, std::size_t> texts_;  // how a subject is written, and its index
  std::vector<const std::string*> longest_;   // keys of texts_, the longest first
  std::vector<AnswerSubject> subjects_;
  std::vector<AnswerSubject> general_;
};

}  // namespace prof::claims
