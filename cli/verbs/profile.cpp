// prof profile: runs a program and records it.
#include "cli/export/export_report.hpp"
#include "cli/failure.hpp"
#include "cli/options/call_chain_options.hpp"
#include "cli/options/capture_range_options.hpp"
#include "cli/options/cuda_options.hpp"
#include "cli/options/defined_apart.hpp"
#include "cli/options/metrics/gpu_metrics_options.hpp"
#include "cli/options/metrics/plugin_options.hpp"
#include "cli/options/nvtx_options.hpp"
#include "cli/options/output_name.hpp"
#include "cli/options/program_options.hpp"
#include "cli/options/python_options.hpp"
#include "cli/options/recording/flight_options.hpp"
#include "cli/options/recording/osrt_options.hpp"
#include "cli/options/recording/recording_options.hpp"
#include "cli/options/recording/thinning_options.hpp"
#include "cli/options/recording/time_options.hpp"
#include "cli/options/recording/trigger_options.hpp"
#include "cli/options/sampling_options.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/options/words/option_file.hpp"
#include "cli/output/exit_status.hpp"
#include "cli/output/left_over.hpp"
#include "cli/output/message.hpp"
#include "cli/output/print_stats.hpp"
#include "cli/output/report_steps.hpp"
#include "cli/sessions/session_client.hpp"
#include "cli/verbs/verbs.hpp"
#include "cli/version.hpp"
#include "collector/session/launch/outer_session.hpp"
#include "collector/session/recording.hpp"
#include "collector/spool/spool_path.hpp"

namespace prof::cli {

namespace {

class Profile final : public Verb {
 public:
  const char* name() const override { return "profile"; }
  const char* summary() const override { return "Run a program and record it into a report"; }
  bool takes_command() const override { return true; }

  void define(CLI::App& app) override {
    const auto apart = [&app](auto define, auto&... targets) {
      const DefinedApart others(app);
      define(app, targets...);
    };
    apart(add_trace_options, options_);
    apart(add_output, output_, options_.overwrite);
    apart(add_program_options, options_);
    apart(add_buffer_size, options_.buffer_bytes);
    apart(add_osrt_options, options_);
    apart(add_thinning_options, options_);
    apart(add_nvtx_options, options_.nvtx);
    apart(add_cuda_options, options_.cuda);
    apart(add_sampling_options, options_.cpu);
    apart(add_call_chain_options, options_.call_chains);
    apart(add_python_options, options_);
    apart(add_gpu_metrics_options, options_.gpu_metrics);
    apart(add_plugin_options, options_.plugins, plugin_help_);
    apart(add_capture_range_options, ranges_);
    apart(add_time_options, options_);
    apart(add_metrics_endpoint, options_);
    apart(add_flight_options, options_);
    apart(add_flight_session, options_.flight);
    apart(add_report_work, exports_, stats_);
    apart(add_command_file, command_file_);
    app.footer(
        "Options end at the first word that is not an option: the program. Everything after it is\n"
        "passed to the program.\n"
        "Examples:\n"
        "  prof profile python3 train.py\n"
        "  prof profile -t nvtx,osrt -o run%n -- ./server --port 80\n"
        "  prof profile -t osrt --osrt-file-access=true -- make -j4\n"
        "  prof profile -f true --stats=true -o report.db ./app\n"
        "The exit status is the program's, or 128 + the number of the signal that ended it.");
  }

  bool define_frequent(CLI::App& app) override {
    add_trace_options(app, options_);
    add_output(app, output_, options_.overwrite);
    add_report_work(app, exports_, stats_);
    add_command_file(app, command_file_);
    return true;
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    if (name == "--export") return export_type_names();
    if (name == "--enable") return plugin_words();
    return name == "--trace" ? trace_words() : std::vector<std::string>{};
  }

  int run(const std::vector<std::string>& command) override {
    if (print_metrics_help(options_.gpu_metrics, options_.cuda.cupti)) return 0;
    if (plugin_help_) {
      fmt::print("{}", metrics::plugin_help());
      return 0;
    }
    if (command.empty())
      throw Failure("no program to profile (see prof profile --help)", kBadUsage);
    if (session::is_inside_session())
      throw Failure(
          "this process is already being profiled by another prof. Use prof for the outer program "
          "or for the inner one, not for both.");
    options_.command = command;
    std::erase(exports_, "none");
    for (const std::string& type : exports_) check_export_type(type);
    const std::string output = expand_output_name(output_);
    report_recordings({output}, spool::spool_path(output));
    resolve();  // expands the name again: an empty recording may have made a number free
    AtHand at_hand;
    // While the program starts.
    const auto prepare_report = [&at_hand] {
      remove_stale_sessions();
      if (auto writer = report::ReportWriter::create_in_memory())
        at_hand.writer = std::move(*writer);
    };
    auto recording = take(session::record(
        options_, [this](auto& part) { return write_part(part); }, prepare_report));
    at_hand.session = std::move(recording.session);
    const std::vector<std::string> reports =
        write_reports(recording.file, recording.spool, recording.output, options_.overwrite,
                      std::move(recording.signals), std::move(at_hand));
    if (reports.empty() && options_.time.is_any())
      print_message("prof: {}\n", why_never_started(options_.time));
    else if (reports.empty())
      print_message("prof: {}. {}\n", kNeverEntered, why_never_entered(ranges_));
    print_next_command(reports);
    for (const std::string& report : reports) export_all(report, exports_, options_.overwrite);
    for (const std::string& report : reports)
      if (stats_) print_stats({.report = report, .view = {.no_pager = true}});
    return recording.exit_status;
  }

 private:
  // Checks the options against each other and against what this machine can do.
  void resolve() {
    options_.output = expand_output_name(output_);
    if (has_ending_of_nsys(options_.output))
      options_.warnings.push_back(
          options_.output +
          " will be an SQLite file, as prof writes it. nsys reads it under a name that ends in "
          ".sqlite.");
    options_.version = kVersion;
    check_osrt_options(options_);
    check_thinning_options(options_);
    resolve_python_ranges(options_);
    // Before resolve_cuda(): a range needs CUDA to be asked for, even if this machine has none.
    resolve_capture_ranges(ranges_, options_);
    check_time_options(options_);
    resolve_cuda(options_);
    resolve_system_calls(options_);
    resolve_sampling(options_);
    resolve_call_chains(options_);
    resolve_python_call_chains(options_);
    resolve_nvtx(options_);
    resolve_gpu_metrics(options_);
    check_flight_options(options_);
    if (!options_.flight.session.empty()) check_session_name(options_.flight.session);
  }

  // A report of a flight recorder, while the program runs. In a child of prof.
  int write_part(session::FinishedCollection& part) const {
    return exit_status_of([&] {
      for (const std::string& report :
           write_reports(part.file, part.spool, part.output, part.overwrite))
        export_all(report, exports_, part.overwrite);
      return 0;
    });
  }

  session::SessionOptions options_;
  CaptureRangeWords ranges_;
  std::string command_file_;
  std::string output_ = "report%n";
  bool stats_ = false;
  bool plugin_help_ = false;
  std::vector<std::string> exports_;
};

}  // namespace

std::unique_ptr<Verb> make_profile() { return std::make_unique<Profile>(); }

}  // namespace prof::cli
