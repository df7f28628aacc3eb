// prof recover: a report out of a recording whose profiler did not get to write it.
#include "cli/failure.hpp"
#include "cli/output_name.hpp"
#include "cli/report_steps.hpp"
#include "cli/verbs.hpp"

namespace prof::cli {

namespace {

class Recover final : public Verb {
 public:
  const char* name() const override { return "recover"; }
  const char* summary() const override { return "Make a report of an unfinished recording"; }

  void define(CLI::App& app) override {
    app.add_option("recording", recording_, "The recording: OUTPUT.spool")->type_name("FILE");
    app.add_option("-o,--output", output_, "Report to write; by default the recording's own name")
        ->type_name("FILE");
    add_bool(app, "-f,--force-overwrite", overwrite_, "Replace an existing report");
    app.footer(
        "A recording is left behind when prof was killed, or could not write the report. It holds\n"
        "everything that had been recorded by then.\n"
        "Example:\n  prof recover report1.db.spool");
  }

  int run(const std::vector<std::string>&) override {
    if (recording_.empty())
      throw Failure("no recording given (see prof recover --help)", kBadUsage);
    constexpr std::string_view kSuffix = ".spool";
    if (output_.empty() && !recording_.ends_with(kSuffix))
      throw Failure(recording_ + " does not end in .spool: name the report with -o", kBadUsage);
    const std::string output = output_.empty()
                                   ? recording_.substr(0, recording_.size() - kSuffix.size())
                                   : expand_output_name(output_);
    write_reports(recording_, output, overwrite_);
    return 0;
  }

 private:
  std::string recording_;
  std::string output_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_recover() { return std::make_unique<Recover>(); }

}  // namespace prof::cli
