// prof replay-op: writes a script that runs one operator of a report and measures it.
#include "cli/messages/failure.hpp"
#include "cli/output/options/range_of_option.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/table_output.hpp"
#include "cli/verbs/verbs.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/operators/replay/replay_script.hpp"

namespace prof::cli {

namespace {

class ReplayOp final : public Verb {
 public:
  const char* name() const override { return "replay-op"; }
  const char* summary() const override {
    return "Write a script that runs one operator of a report and measures it";
  }

  void define(CLI::App& app) override {
    app.add_option("report", report_, "A report of prof, or an SQLite file that nsys exported")
        ->type_name("FILE");
    app.add_option("row", row_, "The row of prof stats -r operator_sum, counted from 1")
        ->type_name("ROW");
    add_range_of_option(app, range_of_);
    app.footer(
        "Examples:\n"
        "  prof stats -r operator_sum report1.db\n"
        "  prof replay-op report1.db 3 > op.py\n"
        "  python3 op.py                          (needs PyTorch)\n"
        "  python3 op.py --set stride=[2,2]       (an argument that the report does not have)");
  }

  int run(const std::vector<std::string>&) override {
    if (report_.empty() || row_ <= 0)
      throw Failure(
          "prof replay-op needs a report and a row of operator_sum (see prof replay-op --help)",
          kBadUsage);
    const std::string file = find_report_file(report_);
    const report::ReportReader reader = open_report(file, false);
    check(events::make_views(reader));
    const auto model = take(operators::OperatorModel::read(reader, range_of_));
    put({}, "replay", take(operators::replay_script(model, static_cast<std::size_t>(row_))));
    close_report(reader);
    return 0;
  }

 private:
  std::string report_;
  std::int64_t row_ = 0;
  events::RangeOf range_of_ = events::RangeOf::kBoth;
};

}  // namespace

std::unique_ptr<Verb> make_replay_op() { return std::make_unique<ReplayOp>(); }

}  // namespace prof::cli
