// prof analyze: rules that find known problems in reports.
#include <fmt/format.h>

#include <algorithm>

#include "cli/arguments.hpp"
#include "cli/failure.hpp"
#include "cli/report_access.hpp"
#include "cli/table_options.hpp"
#include "cli/verbs.hpp"
#include "exporters/analyze/catalog.hpp"

namespace prof::cli {

namespace {

// A rule with its arguments, as it was asked for.
struct Selection {
  const analyze::Rule* rule;
  analyze::Arguments arguments;
  std::string name;  // the rule's name today, and the arguments
};

const analyze::Rule& known_rule(const std::string& name) {
  if (const analyze::Rule* rule = analyze::find_rule(name)) return *rule;
  std::vector<std::string> known;
  for (const analyze::Rule& each : analyze::catalog()) known.emplace_back(each.name);
  throw Failure(
      "unknown rule " + name + suggestion(name, known) + " (see prof analyze --help-rules)",
      kBadUsage);
}

// NAME or NAME:ARGUMENT=VALUE:…
Selection selection_of(const std::string& request) {
  const std::size_t colon = std::min(request.find(':'), request.size());
  const analyze::Rule& rule = known_rule(request.substr(0, colon));
  const std::string words = request.substr(std::min(colon + 1, request.size()));
  const auto arguments = analyze::parse_arguments(words, rule.arguments);
  if (!arguments) throw Failure(request + ": " + arguments.error().message, kBadUsage);
  return {&rule, *arguments, words.empty() ? rule.name : rule.name + (":" + words)};
}

std::vector<Selection> selected_rules(const std::vector<std::string>& names) {
  std::vector<Selection> rules;
  for (const std::string& name : names.empty() ? std::vector<std::string>{"all"} : names) {
    if (name == "all")
      for (const analyze::Rule& rule : analyze::catalog()) rules.push_back({&rule, {}, rule.name});
    else
      rules.push_back(selection_of(name));
  }
  return rules;
}

// That there is nothing to report: in its place if it is read by a person on the spot, else aside.
void tell_all_clear(const TableOutput& output, const Selection& selection) {
  std::string text = analyze::message(*selection.rule, selection.arguments, false);
  if (output.target == "-" && stats::is_for_eye(output.format))
    return put(output, selection.name, stats::heading(selection.rule->title, selection.name, text));
  std::replace(text.begin(), text.end(), '\n', ' ');
  fmt::print(stderr, "{}: {}: {}\n", output.report, selection.name, text);
}

void apply(const TableOutput& output, const report::ReportReader& reader,
           const Selection& selection) {
  const auto& [rule, arguments, name] = selection;
  if (!analyze::has_data(*rule, reader)) {
    if (!output.quiet)
      fmt::print(stderr,
                 "SKIPPED: {} could not be analyzed because it does not contain the required CUDA "
                 "data. {}\n",
                 output.report, rule->question);
    return;
  }
  stats::Table table = take(analyze::run(*rule, reader, arguments));
  if (!table.rows.empty())
    put_table(output, std::move(table), rule->title, name,
              analyze::message(*rule, arguments, true));
  else if (!output.quiet)
    tell_all_clear(output, selection);
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

void explain(const std::string& name) {
  if (name != "all" && name != "ALL") {
    explain_rule(known_rule(name));
    return;
  }
  for (const analyze::Rule& rule : analyze::catalog()) print_rule(rule);
  fmt::print("\n--help-rules=RULE explains one. Without -r all are applied.\n");
}

class Analyze final : public Verb {
 public:
  const char* name() const override { return "analyze"; }
  const char* summary() const override { return "Find known problems in a report"; }

  void define(CLI::App& app) override {
    app.add_option("report", reports_, "Reports: of prof, or SQLite as nsys exports it")
        ->type_name("FILE…");
    app.add_option("-r,--rule", names_, "Rules to apply, with arguments after colons; or all")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME[:ARGUMENT…],…");
    add_filter_options(app, options_);
    add_output_options(app, options_);
    app.add_flag("--help-rules{all}", help_rules_,
                 "List the rules; --help-rules=RULE explains one");
    app.footer(
        "Examples:\n"
        "  prof analyze report1.db\n"
        "  prof analyze -r cuda_api_sync:rows=10,gpu_gaps:gap=20 report1.db\n"
        "  prof analyze -r gpu_time_util:threshold=80:chunks=100 -f csv report1.db\n"
        "  prof analyze -o . report1.db             (report1_gpu_gaps.csv, …)\n"
        "  prof analyze -r gpu_gaps --filter-nvtx epoch/3 --timeunit ms report1.db");
  }

  int run(const std::vector<std::string>&) override {
    if (!help_rules_.empty()) {
      // nsys takes the rule as a word of its own, too.
      explain(help_rules_ == "all" && !reports_.empty() ? reports_.front() : help_rules_);
      return 0;
    }
    if (reports_.empty()) throw Failure("no report given (see prof analyze --help)", kBadUsage);
    const TableSettings settings(options_);
    const std::vector<Selection> rules = selected_rules(names_);
    for (const std::string& report : reports_) {
      const auto reader = open_report(report, settings.quiet());
      settings.prepare(reader);
      if (reports_.size() > 1 && !settings.quiet())
        fmt::print(stderr, "prof: analyzing {}\n", report);
      for (std::size_t i = 0; i < rules.size(); ++i)
        apply(settings.output(report, i), reader, rules[i]);
      close_report(reader);
    }
    return 0;
  }

 private:
  std::vector<std::string> reports_;
  std::vector<std::string> names_;
  TableOptions options_;
  std::string help_rules_;
};

}  // namespace

std::unique_ptr<Verb> make_analyze() { return std::make_unique<Analyze>(); }

}  // namespace prof::cli
