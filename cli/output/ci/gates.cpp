#include "cli/output/ci/gates.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/messages/failure.hpp"
#include "cli/output/findings/fact_sheet.hpp"
#include "cli/output/report_access.hpp"
#include "exporters/analysis/claims/check_claims.hpp"
#include "exporters/analysis/query/named_views.hpp"

namespace prof::cli {

namespace {

// The numbers of all gates in one report. A number is empty if the report does not have it.
using Numbers = std::vector<std::optional<double>>;

Numbers measure(const std::string& path, const std::vector<claims::Gate>& gates) {
  const facts::FactSheet sheet = read_fact_sheet({path}, SourceLines::kNone);
  const auto reader = open_report(find_report_file(path), true);
  check(query::make_named_views(reader));
  Numbers numbers;
  for (const claims::Gate& each : gates) {
    claims::Claim claim{each.text};
    claim.quantity = each.quantity;
    numbers.push_back(take(claims::check_claim(reader, sheet, claim)).value);
  }
  close_report(reader);
  return numbers;
}

std::vector<Numbers> measure_all(const std::vector<std::string>& paths,
                                 const std::vector<claims::Gate>& gates) {
  std::vector<Numbers> all;
  for (const std::string& each : paths) all.push_back(measure(each, gates));
  return all;
}

// Returns the numbers of one gate, or nothing if a report lacks it.
std::optional<std::vector<double>> numbers_of(const std::vector<Numbers>& reports,
                                              std::size_t gate) {
  std::vector<double> numbers;
  for (const Numbers& each : reports) {
    if (!each[gate]) return std::nullopt;
    numbers.push_back(*each[gate]);
  }
  return numbers;
}

const char* unit_text(const claims::Gate& gate) {
  switch (claims::unit_of(gate.quantity)) {
    case claims::Unit::kTime:
      return " ns";
    case claims::Unit::kBytes:
      return " B";
    case claims::Unit::kNone:
      break;
  }
  return "";
}

std::string change_text(const claims::Gate& gate, const claims::Change& change, std::size_t before,
                        std::size_t after) {
  const char* unit = unit_text(gate);
  std::string text = fmt::format("{}: {:.6g}{} → {:.6g}{} ({:+.1f} %", gate.text, change.base, unit,
                                 change.now, unit, 100 * change.relative);
  if (change.interval)
    text += fmt::format("; 95 % interval {:+.1f} % to {:+.1f} %; medians of {} and {} reports)",
                        100 * change.interval->first, 100 * change.interval->second, before, after);
  else
    text += "; fewer than 3 reports a side, so the noise is not known)";
  return text;
}

}  // namespace

std::vector<claims::Gate> parse_gates(const std::vector<std::string>& texts) {
  std::vector<claims::Gate> gates;
  for (const std::string& each : texts) {
    auto gate = claims::parse_gate(each);
    if (!gate)
      throw Failure(fmt::format("--fail-if {}: {}", each, gate.error().message), kBadUsage);
    gates.push_back(*std::move(gate));
  }
  return gates;
}

std::vector<Check> check_gates(const std::vector<claims::Gate>& gates,
                               const std::vector<std::string>& base,
                               const std::vector<std::string>& now) {
  const std::vector<Numbers> before = measure_all(base, gates);
  const std::vector<Numbers> after = measure_all(now, gates);
  std::vector<Check> checks;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    Check& check = checks.emplace_back();
    check.name = gates[i].text;
    const auto first = numbers_of(before, i);
    const auto second = numbers_of(after, i);
    if (!first || !second) {
      check.text = gates[i].text + ": a report does not have this number";
      check.failed = true;
    } else {
      const claims::Change change = claims::change_of(*first, *second);
      check.text = change_text(gates[i], change, first->size(), second->size());
      check.failed = claims::fails(gates[i], change);
    }
    check.sentence = check.text;
  }
  return checks;
}

}  // namespace prof::cli
