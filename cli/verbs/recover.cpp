// prof recover: makes a report from a recording whose profiler could not write it.
#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "cli/messages/failure.hpp"
#include "cli/options/capture_range_options.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/output_name.hpp"
#include "cli/options/recording/hook_options.hpp"
#include "cli/output/after_reports.hpp"
#include "cli/output/left_over.hpp"
#include "cli/output/report_steps.hpp"
#include "cli/verbs/verbs.hpp"
#include "collector/spool/spool_path.hpp"
#include "common/base/held/held_file.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::cli {

namespace {

base::UniqueFd open_recording(const std::string& path) {
  base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw Failure("cannot open " + path + ": " + std::strerror(errno));
  // The prof that writes the recording holds an exclusive lock until it exits.
  if ((flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
      base::is_locked_otherwise(file.get()))
    throw Failure("prof is still recording to " + path +
                  ". It writes the report itself when the program has ended.");
  return file;
}

class Recover final : public Verb {
 public:
  const char* name() const override { return "recover"; }
  const char* other_name() const override { return "import"; }
  const char* summary() const override { return "Make a report from an unfinished recording"; }

  void define(CLI::App& app) override {
    app.add_option("recording", recording_, "The recording: OUTPUT.spool")->type_name("FILE");
    app.add_option("-o,--output", output_,
                   "Report to write. Default: the recording's name without .spool")
        ->type_name("FILE");
    add_bool(app, "-f,--force-overwrite", overwrite_, "Replace an existing report");
    add_report_hook(app, hooks_);
    app.footer(
        "If prof was killed or could not write the report, the recording remains. It contains\n"
        "everything that was recorded until then.\n"
        "Example:\n  prof recover report1.db.spool");
  }

  int run(const std::vector<std::string>&) override {
    if (recording_.empty())
      throw Failure("no recording given (see prof recover --help)", kBadUsage);
    if (recording_.ends_with(".qdstrm"))
      throw Failure(recording_ + " is a recording of nsys, which only nsys import reads",
                    kBadUsage);
    const OutputName name = report_name();
    const std::string& output = name.path();
    const base::UniqueFd file = open_recording(recording_);
    report_left_overs({recording_, output}, recording_);
    const auto reports = write_recovered(file, recording_, output, overwrite_);
    print_next_command(reports);
    run_after_reports(hooks_, "recover", reports);
    return 0;
  }

 private:
  OutputName report_name() const {
    if (!output_.empty()) return expand_output_name(output_);
    if (const auto name = spool::report_path(recording_)) return OutputName(*name);
    throw Failure(recording_ + " does not end in .spool: give the name of the report with -o",
                  kBadUsage);
  }

  std::string recording_;
  std::string output_;
  bool overwrite_ = false;
  session::HookOptions hooks_;
};

}  // namespace

std::unique_ptr<Verb> make_recover() { return std::make_unique<Recover>(); }

}  // namespace prof::cli
