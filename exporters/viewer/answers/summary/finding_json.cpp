#include "exporters/viewer/answers/summary/finding_json.hpp"

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::view {

void add_verdict(Json& json, const analyze::Diagnosis& diagnosis) {
  json.pair("name", diagnosis.verdict.bound)
      .pair("sentence", base::without_marks(diagnosis.verdict.sentence))
      .pair("span", diagnosis.span);
}

void add_finding(Json& json, const analyze::Finding& finding, const analyze::Diagnosis& of) {
  json.pair("rule", finding.rule)
      .pair("sentence", base::without_marks(finding.sentence))
      .pair("evidence", base::without_marks(finding.evidence))
      .pair("remedy", base::without_marks(finding.remedy))
      .pair("share", tables::percent(finding.at_stake, of.span) / 100)
      .pair("at_stake", finding.at_stake);
}

}  // namespace prof::view
