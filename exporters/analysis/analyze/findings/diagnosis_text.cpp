#include "exporters/analysis/analyze/findings/diagnosis_text.hpp"
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/diagnosis_json.hpp"
#include "exporters/analysis/tables/percent.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>
#include <utility>

namespace prof::analyze {

namespace {

constexpr const char* kTitle = "Findings";
const char* no_findings_text(const Diagnosis& diagnosis) {
  switch (diagnosis.subject) {
    case Subject::kGpus:
      return "No problems found: no finding takes 2 % of the time or more.";
    case Subject::kCpus:
      return "No problems found in what was recorded.";
    case Subject::kNothing:
      break;
  }
  return "No problems found: the report has nothing to judge a program by.";
}

std::string not_recorded_text(const Diagnosis& diagnosis) {
  return base::without_marks(fmt::format("{}", fmt::join(diagnosis.not_recorded, "; ")));
}

// Returns a sentence without marks on one line, because names of ranges and kernels may contain any
// character.
std::string on_one_line(const std::string& sentence) {
  constexpr std::size_t kMaximum = 700;
  return tables::one_line(base::without_marks(sentence), kMaximum);
}

// Returns what mending a finding saves: ", gain 9.8 ms (13.0 %)".
std::string gain_text(const Gain& gain) {
  constexpr double kLeast = 0.05;  // percent
  if (gain.percent < kLeast) return ", no gain";
  return fmt::format(", gain {}{} ({:.1f} %)", gain.is_at_most ? "at most " : "",
                     time_text(gain.time), gain.percent);
}

// Returns "16.0 % (12 ms)", and the gain, or what part of it can be saved if that is not all.
std::string stake_text(const Finding& finding, const Diagnosis& diagnosis) {
  std::string text = fmt::format("{:.1f} % ({}", tables::percent(finding.at_stake, diagnosis.span),
                                 time_text(finding.at_stake));
  if (finding.gain) return text + ')' + gain_text(*finding.gain);
  if (finding.saved_part < 1)
    text += fmt::format(", of which about {} can be saved", time_text(finding.savings()));
  return text + ')';
}

// Returns "Gain: Faster data loading would save …", or an empty text.
std::string gains_text(const Diagnosis& diagnosis) {
  if (!diagnosis.gains || diagnosis.gains->sentence.empty()) return {};
  return "Gain: " + on_one_line(diagnosis.gains->sentence);
}

std::string open_text(const Diagnosis& diagnosis) {
  const std::string text = on_one_line(open_ranges_text(diagnosis));
  return text.empty() ? text : "Open: " + text;
}

// `width` is the maximum length of a line; 0: lines are not broken.
std::string plain_text(const Diagnosis& diagnosis, std::size_t width) {
  constexpr std::string_view kVerdictIndent = "   ";
  constexpr std::string_view kFindingIndent = "     ";
  constexpr std::string_view kDetailIndent = "             ";
  std::string text = fmt::format(" Verdict: {}\n", diagnosis.verdict.bound);
  const auto add = [&](std::string line, std::string_view indent) {
    text += (width == 0 ? line : tables::wrap_lines(std::move(line), width, indent)) + '\n';
  };
  add(fmt::format("   {}.", on_one_line(diagnosis.verdict.sentence)), kVerdictIndent);
  if (const std::string gains = gains_text(diagnosis); !gains.empty())
    add(fmt::format("   {}.", gains), kVerdictIndent);
  if (!diagnosis.not_recorded.empty())
    add(fmt::format("   Not recorded: {}.", not_recorded_text(diagnosis)), kVerdictIndent);
  if (!diagnosis.open_ranges.empty())
    add(fmt::format("   {}.", open_text(diagnosis)), kVerdictIndent);
  for (const std::string& line : diagnosis.job)
    add(fmt::format("   Job: {}.", on_one_line(line)), kVerdictIndent);
  for (const std::string& cause : diagnosis.causes)
    add(fmt::format("   Why this report: {}", on_one_line(cause)), kVerdictIndent);
  if (diagnosis.findings.empty()) return text + fmt::format("\n {}\n", no_findings_text(diagnosis));
  int number = 0;
  for (const Finding& each : diagnosis.findings) {
    text += '\n';
    add(fmt::format(" {:2}. {}: {}.  [{}]", ++number, stake_text(each, diagnosis),
                    on_one_line(each.sentence), each.rule),
        kFindingIndent);
    add(fmt::format("     Where:  {}.", on_one_line(each.evidence)), kDetailIndent);
    add(fmt::format("     Remedy: {}.", on_one_line(each.remedy)), kDetailIndent);
  }
  return text;
}

std::string markdown(const Diagnosis& diagnosis) {
  std::string text = fmt::format("## {}\n\n**{}**: {}.\n", kTitle, diagnosis.verdict.bound,
                                 on_one_line(diagnosis.verdict.sentence));
  if (const std::string gains = gains_text(diagnosis); !gains.empty())
    text += fmt::format("\n{}.\n", gains);
  if (!diagnosis.not_recorded.empty())
    text += fmt::format("\nNot recorded: {}.\n", not_recorded_text(diagnosis));
  if (!diagnosis.open_ranges.empty()) text += fmt::format("\n{}.\n", open_text(diagnosis));
  for (const std::string& line : diagnosis.job)
    text += fmt::format("\nJob: {}.\n", on_one_line(line));
  for (const std::string& cause : diagnosis.causes)
    text += fmt::format("\nWhy this report: {}\n", on_one_line(cause));
  if (diagnosis.findings.empty()) return text + fmt::format("\n{}\n", no_findings_text(diagnosis));
  text += '\n';
  int number = 0;
  for (const Finding& each : diagnosis.findings)
    text += fmt::format("{}. **{}**: {}. (`{}`)\n   - Where: {}.\n   - Remedy: {}.\n", ++number,
                        stake_text(each, diagnosis), on_one_line(each.sentence), each.rule,
                        on_one_line(each.evidence), on_one_line(each.remedy));
  return text;
}

}  // namespace

std::string finding_text(const Finding& finding, const Diagnosis& diagnosis) {
  return fmt::format("{}: {}. Where: {}. Remedy: {}.", stake_text(finding, diagnosis),
                     on_one_line(finding.sentence), on_one_line(finding.evidence),
                     on_one_line(finding.remedy));
}

std::string open_ranges_text(const Diagnosis& diagnosis) {
  constexpr std::size_t kNames = 3;
  std::int64_t count = 0;
  for (const events::OpenRanges& each : diagnosis.open_ranges) count += each.count;
  if (count == 0) return {};
  std::string text =
      count == 1 ? "1 NVTX range never ended" : fmt::format("{} NVTX ranges never ended", count);
  const char* before = ": ";
  for (const events::OpenRanges& each : diagnosis.open_ranges | std::views::take(kNames)) {
    text += before + each.name;
    if (each.count > 1) text += fmt::format(" ({} times)", each.count);
    before = ", ";
  }
  return diagnosis.open_ranges.size() > kNames ? text + ", …" : text;
}

std::string diagnosis_text(const Diagnosis& diagnosis, tables::TableFormat format,
                           std::size_t width, std::size_t bytes) {
  if (format == tables::TableFormat::kJson) return diagnosis_json(diagnosis, bytes);
  if (format == tables::TableFormat::kMarkdown) return markdown(diagnosis) + '\n';
  if (tables::has_heading(format))
    return tables::heading(kTitle, kFindings) + plain_text(diagnosis, width) + '\n';
  return tables::format_table(diagnosis_table(diagnosis), format, kTitle, kFindings);
}

tables::Table diagnosis_table(const Diagnosis& diagnosis) {
  using tables::CellKind;
  tables::Table table{{{"Rank", CellKind::kInteger},
                       {"Share (%)", CellKind::kReal, 1},
                       {"At Stake (ns)", CellKind::kInteger},
                       {"Rule", CellKind::kText},
                       {"Finding", CellKind::kText},
                       {"Evidence", CellKind::kText},
                       {"Remedy", CellKind::kText},
                       {"Gain (%)", CellKind::kReal, 1},
                       {"Gain (ns)", CellKind::kInteger},
                       {"What If", CellKind::kText}},
                      {}};
  table.rows.push_back({std::int64_t{0},
                        100.0,
                        diagnosis.span,
                        std::string("verdict"),
                        diagnosis.verdict.bound,
                        base::without_marks(diagnosis.verdict.sentence),
                        {},
                        {},
                        {},
                        {}});
  std::int64_t rank = 0;
  for (const Finding& each : diagnosis.findings) {
    table.rows.push_back({++rank, tables::percent(each.at_stake, diagnosis.span), each.at_stake,
                          std::string(each.rule), base::without_marks(each.sentence),
                          base::without_marks(each.evidence), base::without_marks(each.remedy),
                          tables::Cell{}, tables::Cell{}, tables::Cell{}});
    if (!each.gain) continue;
    auto& row = table.rows.back();
    row[row.size() - 3] = each.gain->percent;
    row[row.size() - 2] = each.gain->time;
    row[row.size() - 1] = each.gain->change;
  }
  return table;
}

}  // namespace prof::analyze
