#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

}  // namespace

std::string checked_json(const std::vector<Checked>& checked) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Checked& each : checked) {
    nlohmann::ordered_json object = {{"claim", each.claim}, {"verdict", name_of(each.judgement)}};
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
  return analyze::json_text({{"schema", "prof.check/1"}, {"claims", std::move(list)}}, -1);
}

std::string checked_text(const std::vector<Checked>& checked) {
  std::string text;
  for (const Checked& each : checked) {
    text += fmt::format("{}: {}", name_of(each.judgement), each.claim);
    if (each.value)
      text += fmt::format(" ({:.6g} {}, {})", *each.value, name_of(each.unit), each.basis);
    if (!each.larger.empty()) text += fmt::format("; {} has more time at stake", each.larger);
    if (!each.why.empty()) text += fmt::format("; {}", each.why);
    if (*each.fix != '\0') text += fmt::format(" ({})", each.fix);
    text += '\n';
  }
  return text;
}

}  // namespace prof::claims
