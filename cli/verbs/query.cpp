// prof query: SQL that somebody wrote, run on a report in a sandbox.
#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/options/token_budget.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/table_output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/verbs/verbs.hpp"
#include "exporters/analysis/query/query.hpp"
#include "exporters/analysis/query/sandbox.hpp"
#include "exporters/analysis/query/table_schema.hpp"
#include "exporters/analysis/tables/table_format.hpp"

namespace prof::cli {

namespace {

constexpr std::int64_t kMaxMemory = 128 << 20;
constexpr std::size_t kMaxRows = 100'000;

// Ends prof if SQLite does not look at the time for long: one call of a function can take that
// long.
void end_late_query() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    constexpr std::string_view kText = "prof: the query was stopped after 5 s\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kText.data(), kText.size());
    _exit(kFailed);
  };
  sigaction(SIGALRM, &action, nullptr);
  itimerval timer{};
  timer.it_value = {5, 100'000};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

class Query final : public Verb {
 public:
  const char* name() const override { return "query"; }
  const char* summary() const override { return "Run an SQL query on a report, read-only"; }

  void define(CLI::App& app) override {
    app.add_option("FILE", report_, "A report of prof, or an SQLite file that nsys exported")
        ->type_name("FILE");
    app.add_option("SQL", sql_, "One statement; with --schema the name of a table")
        ->type_name("SQL");
    app.add_flag("--schema", schema_,
                 "List the tables of the report with their rows, columns and units, or explain one "
                 "table");
    app.add_option("--rows", rows_, "Print at most N rows")->type_name("N")->capture_default_str();
    app.add_option("--budget", budget_, "Print at most about TOKENS tokens of 4 bytes")
        ->type_name("TOKENS")
        ->capture_default_str();
    app.add_option("-f,--format", format_,
                   "Format: " + tables::table_format_names() + ". Default: column")
        ->type_name("FORMAT");
    app.footer(
        "Views of prof query: kernels, copies, calls, ranges, samples, threads. They have names, "
        "pid, tid and dur (ns).\n"
        "Examples:\n"
        "  prof query report1.db --schema\n"
        "  prof query report1.db --schema kernels\n"
        "  prof query report1.db 'SELECT name, count(*), sum(dur) FROM kernels GROUP BY name'\n"
        "  prof query report1.db 'SELECT * FROM calls ORDER BY dur DESC' --rows 10 -f json");
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    return name == "--format" ? tables::table_format_words() : std::vector<std::string>{};
  }

  int run(const std::vector<std::string>&) override {
    if (report_.empty()) throw Failure("no report given (see prof query --help)", kBadUsage);
    if (sql_.empty() && !schema_)
      throw Failure("no query given: prof query REPORT 'SELECT …', or --schema", kBadUsage);
    if (rows_ == 0 || rows_ > kMaxRows)
      throw Failure(fmt::format("--rows: a number from 1 to {}", kMaxRows), kBadUsage);
    if (schema_ && format_ != "column")
      throw Failure("--schema prints text: leave out --format", kBadUsage);
    if (budget_ == 0 || budget_ > kMaxTokens)
      throw Failure(fmt::format("--budget: a number from 1 to {}", kMaxTokens), kBadUsage);
    TableOutput output;
    output.format = table_format(format_);
    const auto reader = open_report_with_views(find_report_file(report_));
    if (schema_) {
      print_schema(reader, output);
    } else {
      query::limit_memory(kMaxMemory);
      end_late_query();
      print_rows(reader, output);
    }
    close_report(reader);
    return 0;
  }

 private:
  void print_schema(const report::ReportReader& reader, const TableOutput& output) const {
    put(output, "schema",
        take(sql_.empty() ? query::schema_text(reader, query::kSchemaBytes)
                          : query::table_text(reader, sql_, query::kSchemaBytes)));
  }

  void print_rows(const report::ReportReader& reader, const TableOutput& output) const {
    query::QueryResult result =
        take(query::run_query(reader, {sql_, rows_, budget_ * kTokenBytes}));
    if (output.format == tables::TableFormat::kJson)
      return put(output, "query", query::query_json(result));
    const std::string rest = cut_text(result.cut);
    put_table(output, std::move(result.table), "Query", "query");
    if (!rest.empty()) print_message("prof: {}\n", rest);
  }

  std::string cut_text(query::Cut cut) const {
    switch (cut) {
      case query::Cut::kNothing:
        return "";
      case query::Cut::kRows:
        return fmt::format("only the first {} rows are shown (--rows)", rows_);
      case query::Cut::kBudget:
        return fmt::format("only the rows that fit {} tokens are shown (--budget)", budget_);
      case query::Cut::kTime:
        return "the query was stopped after 5 s; only the rows until then are shown";
      case query::Cut::kValue:
        return "long texts are cut";
    }
    return "";
  }

  std::string report_;
  std::string sql_;
  bool schema_ = false;
  std::size_t rows_ = query::Request{}.rows;
  std::size_t budget_ = query::Request{}.bytes / kTokenBytes;
  std::string format_ = "column";
};

}  // namespace

std::unique_ptr<Verb> make_query() { return std::make_unique<Query>(); }

}  // namespace prof::cli
