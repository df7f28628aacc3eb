#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/diagnosis_json.hpp"
#include "exporters/analysis/claims/check_claims.hpp"

namespace prof::claims {

namespace {

const char* name_of(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return "1";
    case Unit::kTime:
      return "ns";
    case Unit::kBytes:
      return "B";
  }
  return "";
}

std::string subject_id(const base::KnownName& subject, base::NameList& names) {
  return fmt::format("n{}", names.number_of(subject.kind, subject.text));
}

}  // namespace

std::string checked_json(const std::vector<Checked>& checked) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  base::NameList names;
  for (const Checked& each : checked) {
    nlohmann::ordered_json object = {{"claim", each.claim}, {"verdict", name_of(each.judgement)}};
    if (each.line > 0) object["line"] = each.line;
    if (each.subject) object["subject"] = subject_id(*each.subject, names);
    if (!each.quantity.empty()) object["quantity"] = each.quantity;
    if (each.value) {
      object["value"] = std::stod(fmt::format("{:.12g}", *each.value));
      object["unit"] = name_of(each.unit);
      object["tolerance"] = each.tolerance;
      object["basis"] = each.basis;
    }
    if (!each.sql.empty()) object["sql"] = each.sql;
    if (!each.rows.empty()) object["rows"] = analyze::rows_json(each.rows);
    if (!each.larger.empty()) object["larger"] = each.larger;
    if (!each.why.empty()) object["why"] = each.why;
    if (*each.fix != '\0') object["fix"] = each.fix;
    list.push_back(std::move(object));
  }
  nlohmann::ordered_json document = {{"schema", "prof.check/1"}, {"claims", std::move(list)}};
  if (!names.names().empty()) document["names"] = analyze::names_json(names);
  return analyze::json_text(document, -1);
}

std::string checked_text(const std::vector<Checked>& checked) {
  std::string text;
  base::NameList names;
  for (const Checked& each : checked) {
    text += fmt::format("{}: ", name_of(each.judgement));
    if (each.line > 0) text += fmt::format("line {}: ", each.line);
    text += each.claim;
    if (each.subject) text += fmt::format(" {{{}}}", subject_id(*each.subject, names));
    if (!each.quantity.empty()) text += fmt::format(" {}", each.quantity);
    if (each.value)
      text += fmt::format(" ({:.6g} {}, {})", *each.value, name_of(each.unit), each.basis);
    if (!each.larger.empty()) text += fmt::format("; {} has more time at stake", each.larger);
    if (!each.why.empty()) text += fmt::format("; {}", each.why);
    if (*each.fix != '\0') text += fmt::format(" ({})", each.fix);
    text += '\n';
  }
  return text + analyze::names_text(analyze::names_json(names));
}

}  // namespace prof::claims
