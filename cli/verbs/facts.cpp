// prof facts: what costs time in a report, as typed facts with evidence.
#include <fmt/format.h>

#include "cli/export/export_file.hpp"
#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/output/ci/gates.hpp"
#include "cli/output/findings/fact_sheet.hpp"
#include "cli/output/options/token_budget.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/output/table_output.hpp"
#include "cli/verbs/verbs.hpp"
#include "exporters/analysis/facts/changes.hpp"
#include "exporters/analysis/facts/facts.hpp"
#include "exporters/analysis/facts/topics.hpp"

namespace prof::cli {

namespace {

class Facts final : public Verb {
 public:
  const char* name() const override { return "facts"; }
  const char* summary() const override {
    return "Print what costs time as typed facts with evidence, for agents and scripts";
  }

  void define(CLI::App& app) override {
    app.add_option("report", reports_,
                   "A report of prof, or an SQLite file that nsys exported; or a folder of them: "
                   "the ranks of a job. Two of them: what changed")
        ->type_name("FILE…");
    app.add_option("--topic", topics_,
                   "What the facts are about. Default: verdict, which has the findings")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(
            std::vector<std::string>(facts::topic_names().begin(), facts::topic_names().end())))
        ->type_name("NAME,…");
    app.add_option("--budget", budget_,
                   "Leave out the facts with the least time at stake if the answer is longer than "
                   "about TOKENS tokens of 4 bytes (0: no limit)")
        ->type_name("TOKENS")
        ->capture_default_str();
    app.add_option("-f,--format", format_, "Format")
        ->check(CLI::IsMember({"json", "text"}))
        ->capture_default_str();
    app.add_option("--save", save_,
                   "Instead of printing facts: write the numbers of the report to FILE (JSON), for "
                   "prof diff --baseline")
        ->type_name("FILE");
    add_bool(app, "--force-overwrite", overwrite_, "With --save: replace an existing file");
    app.footer(
        "Examples:\n"
        "  prof facts report1.db\n"
        "  prof facts --budget 800 report1.db\n"
        "  prof facts --topic kernels,memory report1.db\n"
        "  prof facts before.db after.db            (what changed)\n"
        "  prof facts --save base.json report1.db   (for prof diff --baseline)\n"
        "  prof facts -f text run/                  (the ranks of a job)");
  }

  int run(const std::vector<std::string>&) override {
    if (reports_.empty()) throw Failure("no report given (see prof facts --help)", kBadUsage);
    if (budget_ > kMaxTokens)
      throw Failure(fmt::format("--budget: a number from 0 to {}", kMaxTokens), kBadUsage);
    if (!save_.empty()) return save();
    if (overwrite_) throw Failure("--force-overwrite needs --save", kBadUsage);
    const std::vector<facts::Topic> topics = chosen_topics();
    const std::size_t bytes = budget_ * kTokenBytes;
    put({}, "facts", reports_.size() == 1 ? facts_text(topics, bytes) : changes_text(bytes));
    return 0;
  }

 private:
  int save() const {
    if (reports_.size() > 1 || is_report_folder(reports_.front()))
      throw Failure("--save writes the numbers of one report", kBadUsage);
    if (!topics_.empty()) throw Failure("--save and --topic exclude one another", kBadUsage);
    check_new(save_, overwrite_);
    const std::string text = saved_numbers(reports_.front());
    write_export({save_, overwrite_}, [&](const formats::Output& output) { return output(text); });
    return 0;
  }

  std::vector<facts::Topic> chosen_topics() const {
    std::vector<facts::Topic> topics;
    for (const std::string& name : topics_)
      if (const auto topic = facts::find_topic(name)) topics.push_back(*topic);
    return topics;
  }

  std::string facts_text(const std::vector<facts::Topic>& topics, std::size_t bytes) const {
    const facts::FactSheet sheet = read_fact_sheet(reports_, SourceLines::kFind, topics);
    return format_ == "json" ? facts::facts_json(sheet, bytes) : facts::facts_text(sheet, bytes);
  }

  std::string changes_text(std::size_t bytes) const {
    if (reports_.size() > 2)
      throw Failure("prof facts compares two reports; a folder has the ranks of a job", kBadUsage);
    if (!topics_.empty()) throw Failure("--topic is about one report", kBadUsage);
    const facts::ChangeSheet sheet = read_change_sheet(reports_.front(), reports_.back());
    return format_ == "json" ? facts::changes_json(sheet, bytes)
                             : facts::changes_text(sheet, bytes);
  }

  std::vector<std::string> reports_;
  std::vector<std::string> topics_;
  std::size_t budget_ = 2'000;
  std::string format_ = "json";
  std::string save_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_facts() { return std::make_unique<Facts>(); }

}  // namespace prof::cli
