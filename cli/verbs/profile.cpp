// prof profile: runs a program and records it.
#include <optional>

#include "cli/export/export_report.hpp"
#include "cli/export/report_work.hpp"
#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/options/call_chain_options.hpp"
#include "cli/options/capture_range_options.hpp"
#include "cli/options/cuda_options.hpp"
#include "cli/options/graphics_options.hpp"
#include "cli/options/metrics/gpu_metrics_options.hpp"
#include "cli/options/metrics/plugin_options.hpp"
#include "cli/options/nvtx_options.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/output_name.hpp"
#include "cli/options/program_options.hpp"
#include "cli/options/python_options.hpp"
#include "cli/options/recording/flight_options.hpp"
#include "cli/options/recording/hook_options.hpp"
#include "cli/options/recording/osrt_options.hpp"
#include "cli/options/recording/rank_options.hpp"
#include "cli/options/recording/recording_options.hpp"
#include "cli/options/recording/thinning_options.hpp"
#include "cli/options/recording/time_options.hpp"
#include "cli/options/recording/trigger_options.hpp"
#include "cli/options/sampling_options.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/options/words/option_file.hpp"
#include "cli/output/after_reports.hpp"
#include "cli/output/exit_status.hpp"
#include "cli/output/left_over.hpp"
#include "cli/output/report_steps.hpp"
#include "cli/sessions/later_start.hpp"
#include "cli/sessions/launched_program.hpp"
#include "cli/sessions/repeated_runs.hpp"
#include "cli/sessions/session_client.hpp"
#include "cli/verbs/verbs.hpp"
#include "cli/version.hpp"
#include "collector/session/recording.hpp"
#include "collector/spool/spool_path.hpp"

namespace prof::cli {

namespace {

void add_start_later(CLI::App& app, bool& target) {
  add_bool(app, "-Y,--start-later", target,
           "Only launch the program, in a session (--session-new); prof start begins to record it "
           "with the other options of this command line")
      ->group("Time");
}

void add_runs(CLI::App& app, int& target) {
  app.add_option("--runs", target,
                 "Run and record the program N times, into OUTPUT_1, OUTPUT_2, … (for prof diff "
                 "--fail-if)")
      ->check(CLI::Range(1, kMaxRuns))
      ->type_name("N");
}

class Profile final : public Verb {
 public:
  const char* name() const override { return "profile"; }
  const char* summary() const override { return "Run a program and record it into a report"; }
  bool takes_command() const override { return true; }

  std::vector<OptionGroup> groups() override {
    const auto rare = [](auto add, auto&... targets) {
      return OptionGroup{[add, &targets...](CLI::App& app) { add(app, targets...); }};
    };
    const auto frequent = [rare](auto add, auto&... targets) {
      OptionGroup group = rare(add, targets...);
      group.is_frequent = true;
      return group;
    };
    return {frequent(add_trace_options, options_),
            rare(add_system_calls, options_),
            rare(add_ftrace_options, options_.tracepoints),
            frequent(add_output, output_, options_.overwrite),
            rare(add_runs, runs_),
            rare(add_program_options, options_),
            rare(add_rank_options, ranks_of_job_),
            rare(add_buffer_size, options_.buffer_bytes),
            rare(add_osrt_options, options_),
            rare(add_thinning_options, options_),
            rare(add_nvtx_options, options_.nvtx),
            rare(add_cuda_options, options_),
            rare(add_graphics_options, options_),
            rare(add_pc_sampling_options, options_),
            rare(add_sampling_options, options_.cpu),
            rare(add_call_chain_options, options_.call_chains),
            rare(add_python_options, options_),
            rare(add_gpu_metrics_options, options_),
            rare(add_plugin_options, options_, plugin_help_),
            rare(add_capture_range_options, ranges_),
            rare(add_time_options, options_),
            rare(add_start_later, start_later_),
            rare(add_metrics_endpoint, options_),
            rare(add_flight_options, options_),
            rare(add_flight_session, options_.flight),
            rare(add_hook_options, options_.hooks),
            frequent(add_report_work, work_),
            frequent(add_command_file, command_file_)};
  }

  void define(CLI::App& app) override {
    for (const OptionGroup& group : groups()) group.define(app);
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

  std::vector<std::string> words_of(const std::string& name) const override {
    if (name == "--export") return export_type_names();
    if (name == "--enable") return plugin_words();
    return name == "--trace" ? trace_words() : std::vector<std::string>{};
  }

  void take_words(const std::vector<std::string>& words) override { words_ = words; }

  // The notes go to the report, too.
  void take_notes(const std::vector<std::string>& notes) override { notes_ = notes; }

  int run(const std::vector<std::string>& command) override {
    if (print_metrics_help(options_.gpu_metrics, options_.cuda.cupti)) return 0;
    if (plugin_help_) {
      fmt::print("{}", metrics::plugin_help());
      return 0;
    }
    if (command.empty())
      throw Failure("no program to profile (see prof profile --help)", kBadUsage);
    if (runs_ > 1) return profile_repeatedly(runs_, words_, output_, command);
    if (!is_selected_rank(ranks_of_job_, notes_)) become_unrecorded(command, options_);
    refuse_outer_prof();
    if (start_later_) return launch_to_start_later(words_, notes_, command);
    options_.warnings.insert(options_.warnings.begin(), notes_.begin(), notes_.end());
    options_.command = command;
    std::erase(work_.exports, "none");
    for (const std::string& type : work_.exports) check_export_type(type);
    const std::string output = expand_output_name(output_).path();
    report_recordings({output}, spool::spool_path(output));
    // Expands the name again, because the removal of an empty recording may have made a number
    // free.
    std::optional<OutputName> name(expand_output_name(output_));
    options_.output = name->path();
    resolve();
    ReportInputs inputs;
    const std::string session_name = session::session_name(options_.flight);
    // This runs while the program starts.
    const auto prepare_report = [&inputs, &name] {
      name.reset();
      remove_left_folders();
      if (auto writer = report::ReportWriter::create_in_memory())
        inputs.writer = std::move(*writer);
    };
    auto recording = take(session::record(
        options_, [this, session_name](auto& part) { return write_part(part, session_name); },
        prepare_report));
    inputs.session = std::move(recording.session);
    inputs.why_empty = options_.time.is_any()
                           ? why_never_started(options_.time)
                           : fmt::format("{}. {}", kNeverEntered, why_never_entered(ranges_));
    const std::vector<std::string> reports =
        write_reports(recording.file, recording.spool, recording.output, options_.overwrite,
                      std::move(recording.signals), std::move(inputs));
    print_next_command(reports);
    do_report_work(reports, work_, options_.overwrite);
    run_after_reports(options_.hooks, session_name, reports, std::to_string(recording.exit_status));
    return recording.exit_status;
  }

 private:
  // Checks the options against each other and against what this machine can do.
  void resolve() {
    if (has_ending_of_nsys(options_.output))
      options_.warnings.push_back(
          options_.output +
          " will be an SQLite file, as prof writes it. nsys reads it under a name that ends in "
          ".sqlite.");
    options_.version = kVersion;
    check_osrt_options(options_);
    check_thinning_options(options_);
    // Comes before resolve_cuda(): a range needs the request for CUDA, even if this machine has
    // none.
    resolve_capture_ranges(ranges_, options_);
    resolve_python_ranges(options_);
    resolve_time_options(options_);
    resolve_cuda(options_);
    resolve_graphics(options_);
    resolve_system_calls(options_);
    resolve_sampling(options_);
    resolve_call_chains(options_);
    resolve_python_call_chains(options_);
    resolve_nvtx(options_);
    resolve_gpu_metrics(options_);
    check_flight_options(options_);
    if (options_.flight.session.empty()) return;
    check_session_name(options_.flight.session);
    if (!options_.flight.is_on())
      options_.warnings.emplace_back(
          "--session-new: prof profile has a session for other commands only with "
          "--flight-recorder or --start-later");
  }

  // Writes a report of a flight recorder while the program runs. Runs in a child of prof.
  int write_part(session::FinishedCollection& part, const std::string& session) const {
    return exit_status_of([&] {
      const std::vector<std::string> reports =
          write_reports(part.file, part.spool, part.output, part.overwrite);
      ReportWork work = work_;
      work.stats = false;  // the program may use the terminal
      do_report_work(reports, work, part.overwrite);
      run_after_reports(options_.hooks, session, reports);
      return 0;
    });
  }

  session::SessionOptions options_;
  CaptureRangeWords ranges_;
  std::vector<std::string> words_;
  std::vector<std::string> notes_;
  std::string command_file_;
  std::string output_ = kDefaultOutput;
  bool start_later_ = false;
  int runs_ = 1;
  std::string ranks_of_job_;  // --ranks
  bool plugin_help_ = false;
  ReportWork work_;
};

}  // namespace

std::unique_ptr<Verb> make_profile() { return std::make_unique<Profile>(); }

}  // namespace prof::cli
