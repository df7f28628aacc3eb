#include "cli/output/ci/gates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/output/findings/fact_sheet.hpp"
#include "cli/output/report_access.hpp"
#include "exporters/analysis/claims/baseline.hpp"
#include "exporters/analysis/claims/check_claims.hpp"
#include "exporters/analysis/claims/rule_topics.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

bool is_about_findings(const claims::Gate& gate) {
  return gate.quantity.kind == claims::Quantity::Kind::kNewFinding;
}

// What all gates need of one report.
struct Measured {
  std::vector<std::optional<double>> numbers = {};  // by gate; empty: the report does not have it
  std::set<std::string> findings = {};
  std::set<std::string> cannot = {};  // findings that the report cannot have
};

void take_findings(const claims::Baseline& from, Measured& to) {
  for (const auto& [rule, number] : from.rules) to.findings.insert(rule);
  to.cannot = from.cannot;
}

Measured measure(const std::string& path, const std::vector<claims::Gate>& gates) {
  const facts::FactSheet sheet = read_fact_sheet({path}, SourceLines::kNone);
  const auto reader = open_report_with_views(find_report_file(path));
  Measured measured;
  if (std::ranges::any_of(gates, is_about_findings)) {
    claims::Baseline findings;
    if (const base::Status added = claims::add_findings(reader, sheet, findings); !added)
      throw Failure(added.error().message);
    take_findings(findings, measured);
  }
  for (const claims::Gate& each : gates) {
    claims::Claim claim{each.text};
    claim.quantity = each.quantity;
    measured.numbers.push_back(is_about_findings(each)
                                   ? std::nullopt
                                   : take(claims::check_claim(reader, sheet, claim)).value);
  }
  close_report(reader);
  return measured;
}

std::vector<Measured> measure_all(const std::vector<std::string>& paths,
                                  const std::vector<claims::Gate>& gates) {
  std::vector<Measured> all;
  for (const std::string& each : paths) all.push_back(measure(each, gates));
  return all;
}

// Returns the files of a folder that can have numbers, or the file itself.
std::vector<std::string> saved_files(const std::string& name) {
  std::error_code error;
  if (!fs::is_directory(name, error)) return {name};
  std::vector<std::string> files;
  for (fs::directory_iterator each(name, error); !error && each != fs::directory_iterator();
       each.increment(error))
    if (each->path().extension() == ".json") files.push_back(each->path().string());
  if (files.empty()) throw Failure(name + " has no file of prof facts --save (FILE.json)");
  std::ranges::sort(files);
  return files;
}

claims::Baseline read_saved(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw Failure("cannot read " + path);
  auto baseline = claims::parse_baseline(text);
  if (!baseline) throw Failure(path + ": " + baseline.error().message);
  return *std::move(baseline);
}

std::vector<claims::Baseline> read_all_saved(const std::vector<std::string>& names) {
  std::vector<claims::Baseline> all;
  for (const std::string& name : names)
    for (const std::string& path : saved_files(name)) all.push_back(read_saved(path));
  return all;
}

std::vector<Measured> saved_gates(const std::vector<std::string>& names,
                                  const std::vector<claims::Gate>& gates) {
  std::vector<Measured> all;
  for (const claims::Baseline& baseline : read_all_saved(names)) {
    Measured& measured = all.emplace_back();
    take_findings(baseline, measured);
    for (const claims::Gate& each : gates)
      measured.numbers.push_back(claims::number_in(baseline, each.quantity));
  }
  return all;
}

// Returns the numbers of one gate, or nothing if a report lacks it.
std::optional<std::vector<double>> numbers_of(const std::vector<Measured>& reports,
                                              std::size_t gate) {
  std::vector<double> numbers;
  for (const Measured& each : reports) {
    if (!each.numbers[gate]) return std::nullopt;
    numbers.push_back(*each.numbers[gate]);
  }
  return numbers;
}

// Returns the findings that more than half of the reports have, and no report of the base. What a
// report of the base could not have is not new.
std::vector<std::string> new_findings(const std::string& wanted,
                                      const std::vector<Measured>& before,
                                      const std::vector<Measured>& after) {
  std::map<std::string, std::size_t> counts;
  for (const Measured& each : after)
    for (const std::string& rule : each.findings) ++counts[rule];
  std::vector<std::string> found;
  for (const auto& [rule, count] : counts) {
    const auto knows = [&rule](const Measured& each) {
      return each.findings.contains(rule) || each.cannot.contains(rule);
    };
    if ((wanted == "any" || wanted == rule) && 2 * count > after.size() &&
        std::ranges::none_of(before, knows))
      found.push_back(rule);
  }
  return found;
}

void compare_findings(const claims::Gate& gate, const std::vector<Measured>& before,
                      const std::vector<Measured>& after, Check& check) {
  const std::vector<std::string> found = new_findings(gate.quantity.rule, before, after);
  check.failed = !found.empty();
  check.text = fmt::format("{}: {}", gate.text,
                           found.empty() ? "none" : fmt::format("{}", fmt::join(found, ", ")));
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

void compare_numbers(const claims::Gate& gate, const std::optional<std::vector<double>>& before,
                     const std::optional<std::vector<double>>& after, Check& check) {
  if (!before || !after) {
    check.text = fmt::format("{}: {} does not have this number", gate.text,
                             before ? "a report" : "a report of the base");
    check.failed = true;
    return;
  }
  const claims::Change change = claims::change_of(*before, *after);
  check.text = change_text(gate, change, before->size(), after->size());
  check.failed = claims::fails(gate, change);
}

std::vector<Check> compare(const std::vector<claims::Gate>& gates,
                           const std::vector<Measured>& before,
                           const std::vector<Measured>& after) {
  std::vector<Check> checks;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    Check& check = checks.emplace_back();
    check.name = gates[i].text;
    if (is_about_findings(gates[i]))
      compare_findings(gates[i], before, after, check);
    else
      compare_numbers(gates[i], numbers_of(before, i), numbers_of(after, i), check);
    check.sentence = check.text;
  }
  return checks;
}

}  // namespace

std::vector<claims::Gate> parse_gates(const std::vector<std::string>& texts) {
  std::vector<claims::Gate> gates;
  for (const std::string& each : texts) {
    auto gate = claims::parse_gate(each);
    if (!gate)
      throw Failure(fmt::format("--fail-if {}: {}", each, gate.error().message), kBadUsage);
    const std::string& rule = gate->quantity.rule;
    if (is_about_findings(*gate) && rule != "any" && claims::find_rule_topics(rule) == nullptr)
      throw Failure(fmt::format("--fail-if {}: there is no finding {}", each, rule), kBadUsage);
    gates.push_back(*std::move(gate));
  }
  return gates;
}

std::vector<Check> check_gates(const std::vector<claims::Gate>& gates,
                               const std::vector<std::string>& base,
                               const std::vector<std::string>& now) {
  return compare(gates, measure_all(base, gates), measure_all(now, gates));
}

std::vector<Check> check_saved_gates(const std::vector<claims::Gate>& gates,
                                     const std::vector<std::string>& saved,
                                     const std::vector<std::string>& now) {
  return compare(gates, saved_gates(saved, gates), measure_all(now, gates));
}

std::vector<recording::Recording> saved_recordings(const std::vector<std::string>& saved) {
  std::vector<recording::Recording> recordings;
  for (claims::Baseline& each : read_all_saved(saved))
    recordings.push_back(std::move(each.recording));
  return recordings;
}

std::string saved_numbers(const std::string& report) {
  const facts::FactSheet sheet = read_fact_sheet({report}, SourceLines::kNone);
  const auto reader = open_report_with_views(find_report_file(report));
  const claims::Baseline baseline = take(claims::baseline_of(reader, sheet));
  close_report(reader);
  return claims::baseline_json(baseline);
}

}  // namespace prof::cli
