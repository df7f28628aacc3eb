// prof analyze: rules that find known problems in reports.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "cli/export/sqlite_copy.hpp"
#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/options/arguments.hpp"
#include "cli/output/ci/ci_output.hpp"
#include "cli/output/findings/job_diagnosis.hpp"
#include "cli/output/options/align_option.hpp"
#include "cli/output/options/job_window.hpp"
#include "cli/output/options/range_of_option.hpp"
#include "cli/output/options/table_options.hpp"
#include "cli/output/options/token_budget.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/output/source_lines.hpp"
#include "cli/output/terminal.hpp"
#include "cli/verbs/verbs.hpp"
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/catalog.hpp"
#include "exporters/analysis/analyze/findings/diagnosis_text.hpp"
#include "exporters/analysis/analyze/findings/limits.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "exporters/analysis/replay/gains.hpp"
#include "exporters/analysis/replay/what_if.hpp"
#include "exporters/analysis/tables/percent.hpp"
#include "exporters/analysis/tables/visible_text.hpp"
#include "exporters/ranks/path/job_execution.hpp"
#include "exporters/ranks/replay/job_gains.hpp"

namespace prof::cli {

namespace {

constexpr int kFoundTooMuch = 3;  // a status for findings, not for failures or wrong usage

// The user's request: a rule with its arguments, or the findings.
struct Selection {
  const analyze::Rule* rule;  // null: the request is for the findings
  analyze::Arguments arguments;
  std::string name;  // the current name of the rule, with its arguments
};

std::vector<std::string> rule_names() {
  std::vector<std::string> names = {analyze::kFindings};
  for (const analyze::Rule& each : analyze::catalog()) names.emplace_back(each.name);
  return names;
}

const analyze::Rule& known_rule(std::string_view name) {
  if (const analyze::Rule* rule = analyze::find_rule(std::string(name))) return *rule;
  throw Failure(fmt::format("unknown rule {}{} (see prof analyze --help-rules)", name,
                            suggestion(std::string(name), rule_names())),
                kBadUsage);
}

// Parses NAME or NAME:ARGUMENT=VALUE:….
Selection selection_of(const std::string& request) {
  const std::size_t colon = std::min(request.find(':'), request.size());
  const analyze::Rule& rule = known_rule(std::string_view(request).substr(0, colon));
  const std::string words = request.substr(std::min(colon + 1, request.size()));
  const auto arguments = analyze::parse_arguments(words, rule.arguments);
  if (!arguments) throw Failure(request + ": " + arguments.error().message, kBadUsage);
  return {&rule, *arguments, words.empty() ? rule.name : rule.name + (":" + words)};
}

analyze::Limits limits_of(const std::vector<std::string>& words) {
  const auto limits = analyze::parse_limits(words);
  if (!limits) throw Failure("--fail-on: " + limits.error().message, kBadUsage);
  return *limits;
}

std::vector<replay::WhatIf> changes_of(const std::vector<std::string>& words) {
  std::vector<replay::WhatIf> changes;
  for (const std::string& each : words) {
    auto parsed = replay::parse_what_ifs(each);
    if (!parsed) throw Failure(parsed.error().message, kBadUsage);
    changes.insert(changes.end(), parsed->begin(), parsed->end());
  }
  return changes;
}

std::vector<Selection> selected_rules(const std::vector<std::string>& names) {
  const Selection findings{nullptr, {}, analyze::kFindings};
  if (names.empty()) return {findings};
  std::vector<Selection> rules;
  for (const std::string& name : names) {
    if (name.empty()) continue;  // -r "": no rule
    if (name == analyze::kFindings || name == "all") rules.push_back(findings);
    if (name == "all")
      for (const analyze::Rule& rule : analyze::catalog()) rules.push_back({&rule, {}, rule.name});
    else if (name != analyze::kFindings)
      rules.push_back(selection_of(name));
  }
  return rules;
}

// Prints that the rule found nothing: in place of its table if the output is read directly by a
// person, otherwise on stderr.
void print_all_clear(const TableOutput& output, const Selection& selection) {
  std::string text = analyze::message(*selection.rule, selection.arguments, false);
  if (output.target == "-" && tables::has_heading(output.format))
    return put(output, selection.name,
               tables::heading(selection.rule->title, selection.name, text));
  std::replace(text.begin(), text.end(), '\n', ' ');
  print_message("{}: {}: {}\n", output.report, selection.name, text);
}

void apply(const TableOutput& output, const report::ReportReader& reader,
           const Selection& selection) {
  const auto& [rule, arguments, name] = selection;
  if (!analyze::has_data(*rule, reader)) {
    if (!output.quiet)
      print_message(
          "SKIPPED: {} could not be analyzed because it does not contain the required CUDA "
          "data. {}\n",
          output.report, rule->question);
    return;
  }
  tables::Table table = take(analyze::run(*rule, reader, arguments));
  if (!table.rows.empty())
    put_table(output, std::move(table), rule->title, name,
              analyze::message(*rule, arguments, true));
  else if (!output.quiet)
    print_all_clear(output, selection);
}

// Takes the place of a name such as "parse (/src/app.py:12)".
void find_source_line(const base::KnownName& name, Check& check) {
  const std::string_view text = name.text;
  const std::size_t open = text.rfind(" (");
  const std::size_t colon = text.rfind(':');
  if (name.kind != "function" || !text.ends_with(')') || open == text.npos || colon == text.npos ||
      colon <= open + 2)
    return;
  int line = 0;
  const auto [end, error] =
      std::from_chars(text.data() + colon + 1, text.data() + text.size() - 1, line);
  if (error != std::errc() || end != text.data() + text.size() - 1) return;
  check.file = text.substr(open + 2, colon - open - 2);
  check.line = line;
}

// A check for each finding, and for each limit that nothing exceeds.
CheckedReport checks_of(const std::string& report, const analyze::Diagnosis& diagnosis,
                        const analyze::Limits& limits, const std::vector<analyze::Exceeded>& over) {
  CheckedReport result{report};
  for (const analyze::Finding& each : diagnosis.findings) {
    Check& check = result.checks.emplace_back();
    check.name = each.rule;
    check.text = analyze::finding_text(each, diagnosis);
    check.failed = std::ranges::any_of(over, [&](const analyze::Exceeded& exceeded) {
      return std::string_view(exceeded.rule) == each.rule;
    });
    base::NameList names;
    check.sentence = fmt::format("{} ({:.1f} % of the time)", names.take_out(each.sentence),
                                 tables::percent(each.at_stake, diagnosis.span));
    names.take_out(each.evidence);
    for (const base::KnownName& name : names.names()) {
      check.names.push_back(name.text);
      if (check.line == 0) find_source_line(name, check);
    }
  }
  for (const auto& [name, percent] : limits)
    if (std::ranges::none_of(result.checks, [&](const Check& check) { return check.name == name; }))
      result.checks.push_back({.name = name, .text = ""});
  return result;
}

// Returns whether a finding exceeds the limits. Adds the checks of the report.
bool print_diagnosis(const TableOutput& output, const analyze::Diagnosis& diagnosis,
                     const analyze::Limits& limits, std::size_t budget,
                     std::vector<CheckedReport>& checked) {
  const bool is_for_terminal = output.target == "-" && is_terminal(STDOUT_FILENO);
  put(output, analyze::kFindings,
      analyze::diagnosis_text(diagnosis, output.format,
                              is_for_terminal ? terminal_width(STDOUT_FILENO) : 0,
                              budget * kTokenBytes));
  const std::vector<analyze::Exceeded> over = exceeded(limits, diagnosis);
  for (const analyze::Exceeded& each : over)
    print_message("prof: {}: {}\n", output.report, each.sentence);
  checked.push_back(checks_of(output.report, diagnosis, limits, over));
  return !over.empty();
}

bool print_findings(const TableOutput& output, const report::ReportReader& reader,
                    const analyze::DiagnosisOptions& options, const analyze::Limits& limits,
                    std::size_t budget, std::vector<CheckedReport>& checked) {
  const auto find_lines = [&] { return find_source_lines(reader, true); };
  analyze::DiagnosisOptions all = options;
  all.with_evidence = output.format == tables::TableFormat::kJson;
  return print_diagnosis(output, take(analyze::diagnose_report(reader, all, find_lines)), limits,
                         budget, checked);
}

// Prints which report comes next if the output is for people.
void print_name(const TableOutput& output) {
  const std::string name = tables::one_line(output.report, output.report.size());
  if (output.target == "-" && tables::has_heading(output.format))
    put(output, "", fmt::format("\nReport: {}\n", name));
  else if (output.target == "-" && output.format == tables::TableFormat::kMarkdown)
    put(output, "", fmt::format("# {}\n\n", name));
  else
    print_message("prof: analyzing {}\n", name);
}

void print_rule(const analyze::Rule& rule) {
  std::string arguments;
  for (const analyze::Argument& each : rule.arguments)
    arguments += fmt::format("[:{}=N]", each.name);
  fmt::print("  {:<18} {} {}\n", rule.name, rule.help, arguments);
}

void explain_rule(const analyze::Rule& rule) {
  const analyze::Arguments defaults;
  fmt::print("{}: {}\n\n", rule.name, rule.title);
  for (const analyze::Argument& each : rule.arguments)
    fmt::print("  {:<11} {} (default: {})\n", fmt::format("{}=", each.name), each.help,
               defaults.*(each.value));
  fmt::print("\n{}\n", analyze::message(rule, defaults, true));
}

std::string finding_names() {
  std::string names;
  for (const char* each : analyze::finding_names())
    names += (names.empty() ? "" : ", ") + std::string(each);
  return names;
}

void explain(const std::string& name) {
  if (name == analyze::kFindings) {
    fmt::print("findings: the verdict and the findings, largest time at stake first\n\n  {}\n",
               finding_names());
    return;
  }
  if (name != "all" && name != "ALL") {
    explain_rule(known_rule(name));
    return;
  }
  fmt::print("  {:<18} A verdict and a ranked list of what costs time (default)\n",
             analyze::kFindings);
  for (const analyze::Rule& rule : analyze::catalog()) print_rule(rule);
  fmt::print("\n--help-rules=RULE explains one. Findings: {}.\n", finding_names());
}

class Analyze final : public Verb {
 public:
  const char* name() const override { return "analyze"; }
  const char* summary() const override { return "Find known problems in a report"; }

  void define(CLI::App& app) override {
    app.add_option("report", reports_,
                   "Reports of prof, SQLite files that nsys exported, or folders of them")
        ->type_name("FILE…");
    app.add_option("-r,--rule", names_,
                   "Rules to apply, with arguments after colons, or all. Default: findings")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME[:ARGUMENT…],…");
    app.add_option("--what-if", what_if_,
                   "In place of findings: how long the run would take with this change: "
                   "range:NAME=0, kernel:REGEX*0.5, call:REGEX=0, ... Repeated: with all of them")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("CHANGE");
    app.add_option("--fail-on", fail_on_,
                   "Exit with status 3 if this finding (any: one of them) takes PERCENT of the "
                   "time or more")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("FINDING[=PERCENT],…");
    app.add_option("--budget", budget_,
                   "Of JSON: leave out the findings with the least time at stake if it is longer "
                   "than about TOKENS tokens of 4 bytes")
        ->type_name("TOKENS");
    ci_.add(app);
    app.add_flag("--by-rank", by_rank_,
                 "Of several reports: the findings of each, in place of one verdict for the job");
    add_align_option(app, align_,
                     std::string("Of several reports: the clock on which ranks are compared, and "
                                 "that --filter-time counts on. ") +
                         kAlignHelp);
    add_range_of_option(app, range_of_);
    add_filter_options(app, options_);
    add_output_options(app, options_);
    add_sqlite_options(app, sqlite_);
    help_on_formats_.add(app);
    app.add_flag("--help-rules{all}", help_rules_,
                 "List the rules. --help-rules=RULE explains one");
    app.footer(
        "Examples:\n"
        "  prof analyze report1.db\n"
        "  prof analyze run/                        (the ranks of a job)\n"
        "  prof analyze --filter-time 5s/6s --align=collectives run/\n"
        "  prof analyze --fail-on any=20,synchronization=5 -f markdown report1.db\n"
        "  prof analyze --fail-on any=20 --junit findings.xml --annotate github report1.db\n"
        "  prof analyze -f json --budget 800 report1.db\n"
        "  prof analyze --what-if range:load=0 --what-if 'kernel:gemm*0.5' report1.db\n"
        "  prof analyze -r cuda_api_sync:rows=10,gpu_gaps:gap=20 report1.db\n"
        "  prof analyze -r gpu_time_util:threshold=80:chunks=100 -f csv report1.db\n"
        "  prof analyze -o . report1.db             (report1_gpu_gaps.csv, …)\n"
        "  prof analyze -r gpu_gaps --filter-nvtx epoch/3 --timeunit ms report1.db");
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    if (name == "--rule" || name == "--help-rules") return rule_names();
    return name == "--align" ? align_words() : words_of_output_option(name);
  }

  int run(const std::vector<std::string>&) override {
    if (!help_rules_.empty()) {
      // nsys also accepts the rule as a separate word.
      explain(help_rules_ == "all" && !reports_.empty() ? reports_.front() : help_rules_);
      return 0;
    }
    if (help_on_formats_.print()) return 0;
    if (reports_.empty()) throw Failure("no report given (see prof analyze --help)", kBadUsage);
    if (!sqlite_.path.empty() && reports_.size() > 1)
      throw Failure("--sqlite takes one report", kBadUsage);
    const TableSettings settings(options_);
    if (!what_if_.empty()) return print_what_if(settings);
    std::vector<Selection> rules = selected_rules(names_);
    const analyze::Limits limits = limits_of(fail_on_);
    const bool has_findings = std::any_of(
        rules.begin(), rules.end(), [](const Selection& each) { return each.rule == nullptr; });
    if ((!fail_on_.empty() || ci_.is_wanted()) && !has_findings)
      throw Failure(
          "--fail-on, --junit, --sarif, --code-quality and --annotate need the findings: add them "
          "to "
          "-r",
          kBadUsage);
    check_budget(settings, rules);
    const bool has_verdict = has_findings && is_job(reports_) && !by_rank_;
    check_align(align_, is_job(reports_), has_verdict || settings.has_time_window());
    bool too_much = false;
    std::vector<CheckedReport> checked;
    FoundReports found = find_reports(reports_);
    if (!sqlite_.path.empty() && found.has_folder)
      throw Failure("--sqlite takes one report", kBadUsage);
    if (has_verdict)
      if (const auto job = analyze_job(found.paths, settings, rules, limits, checked); job) {
        too_much = *job;
        std::erase_if(rules, [](const Selection& each) { return each.rule == nullptr; });
        if (rules.empty()) found.paths.clear();
      }
    for (std::string& report : found.paths)
      report = report_to_read(report, sqlite_, settings.quiet());
    const JobWindow window(found.paths, settings, align_);
    for (const std::string& report : found.paths) {
      const auto reader = open_report(report, settings.quiet());
      const events::EventFilter events = window.prepare(reader);
      if (found.paths.size() > 1 && !settings.quiet()) print_name(settings.output(report, 0));
      for (std::size_t i = 0; i < rules.size(); ++i) {
        const TableOutput output = settings.output(report, i);
        if (rules[i].rule == nullptr)
          too_much |= print_findings(output, reader, {events, range_of_}, limits, budget_, checked);
        else
          apply(output, reader, rules[i]);
      }
      close_report(reader);
    }
    if (ci_.is_wanted()) ci_.write("analyze", checked);
    return too_much ? kFoundTooMuch : found.has_left_out ? kFailed : 0;
  }

 private:
  // Prints the verdict of the ranks of a job. Returns whether a finding exceeds the limits, or
  // nothing if the reports are not of one job.
  std::optional<bool> analyze_job(const std::vector<std::string>& reports,
                                  const TableSettings& settings,
                                  const std::vector<Selection>& rules,
                                  const analyze::Limits& limits,
                                  std::vector<CheckedReport>& checked) const {
    const auto place = std::ranges::find(rules, nullptr, &Selection::rule) - rules.begin();
    const TableOutput output =
        settings.output(name_of_job(reports_), static_cast<std::size_t>(place));
    const auto diagnosis = diagnose_job(
        reports, settings, {range_of_, align_, output.format == tables::TableFormat::kJson});
    if (!diagnosis) return std::nullopt;
    return print_diagnosis(output, *diagnosis, limits, budget_, checked);
  }

  int print_what_if(const TableSettings& settings) {
    if (!names_.empty() || !fail_on_.empty() || ci_.is_wanted() || budget_ > 0)
      throw Failure("--what-if is in place of findings and rules: without -r, --fail-on and others",
                    kBadUsage);
    const std::vector<replay::WhatIf> changes = changes_of(what_if_);
    if (is_job(reports_) && !by_rank_) {
      const JobReports found = find_job_reports(reports_, settings.quiet());
      const JobWindow window(found.reports, settings, align_);
      const auto job = take(ranks::read_collectives(found.reports, window.clock()));
      put_table(settings.output(name_of_job(reports_), 0),
                take(ranks::what_if_of_job(
                    found.reports, job, changes,
                    [&](const report::ReportReader& reader) { return window.prepare(reader); })),
                "What If", "what_if");
      return found.has_left_out ? kFailed : 0;
    }
    FoundReports found = find_reports(reports_);
    for (std::string& report : found.paths) {
      report = report_to_read(report, sqlite_, settings.quiet());
      const auto reader = open_report(report, settings.quiet());
      settings.prepare(reader);
      const TableOutput output = settings.output(report, 0);
      if (found.paths.size() > 1 && !settings.quiet()) print_name(output);
      put_table(output, replay::table_of({take(replay::predict(reader, changes))}), "What If",
                "what_if");
      close_report(reader);
    }
    return found.has_left_out ? kFailed : 0;
  }

  // Throws Failure if the budget would have no effect on a table.
  void check_budget(const TableSettings& settings, const std::vector<Selection>& rules) const {
    if (budget_ > kMaxTokens)
      throw Failure(fmt::format("--budget: a number from 1 to {}", kMaxTokens), kBadUsage);
    if (budget_ == 0) return;
    for (std::size_t i = 0; i < rules.size(); ++i)
      if (rules[i].rule != nullptr || settings.output("", i).format != tables::TableFormat::kJson)
        throw Failure("--budget is for the findings in JSON: -f json, without other rules",
                      kBadUsage);
  }

  std::vector<std::string> reports_;
  std::vector<std::string> names_;
  std::vector<std::string> what_if_;
  std::vector<std::string> fail_on_;
  std::size_t budget_ = 0;  // 0: no limit
  bool by_rank_ = false;
  std::string align_;
  events::RangeOf range_of_ = events::RangeOf::kBoth;
  TableOptions options_;
  CiOutput ci_;
  SqliteCopy sqlite_;
  FormatHelp help_on_formats_;
  std::string help_rules_;
};

}  // namespace

std::unique_ptr<Verb> make_analyze() { return std::make_unique<Analyze>(); }

}  // namespace prof::cli
