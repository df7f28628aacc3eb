#include "cli/sessions/launch_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/export/export_report.hpp"
#include "cli/messages/failure.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/call_chain_options.hpp"
#include "cli/options/cuda_options.hpp"
#include "cli/options/graphics_options.hpp"
#include "cli/options/metrics/gpu_metrics_options.hpp"
#include "cli/options/metrics/plugin_options.hpp"
#include "cli/options/nvtx_options.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/program_options.hpp"
#include "cli/options/python_options.hpp"
#include "cli/options/recording/flight_options.hpp"
#include "cli/options/recording/hook_options.hpp"
#include "cli/options/recording/osrt_options.hpp"
#include "cli/options/recording/recording_options.hpp"
#include "cli/options/recording/step_options.hpp"
#include "cli/options/recording/thinning_options.hpp"
#include "cli/options/recording/trigger_options.hpp"
#include "cli/options/sampling_options.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/options/words/option_file.hpp"
#include "cli/version.hpp"

namespace prof::cli {

void add_session(CLI::App& app, SessionChoice& choice) {
  app.add_option("--session", choice.existing, "The session, by its name. Default: [default]")
      ->type_name("NAME");
}

void add_new_session(CLI::App& app, SessionChoice& choice) {
  app.add_option("--session-new", choice.fresh, "Create a session of this name")
      ->type_name("NAME")
      ->excludes("--session");
}

void LaunchOptions::define(CLI::App& app) {
  add_session(app, session);
  add_new_session(app, session);
  add_program_options(app, options_);
  add_command_file(app, command_file_);
  define_tracing(app);
  add_graphics_options(app, options_);
  add_pc_sampling_options(app, options_);
  add_nvtx_capture(app, ranges_);
  add_step_range(app, ranges_.step_range,
                 "Count the instances of this NVTX range from the start of each program, for prof "
                 "start --at-step: RANGE, RANGE@DOMAIN, or RANGE@*. optimizer: PyTorch's steps");
  add_metrics_endpoint(app, options_);
  add_output(app, output, options_.overwrite);
  add_sampling_options(app, options_.cpu);
}

void LaunchOptions::define_tracing(CLI::App& app) {
  add_trace_options(app, options_);
  add_buffer_size(app, options_.buffer_bytes);
  add_osrt_threshold(app, options_);
  add_thinning_options(app, options_);
  add_nvtx_options(app, options_.nvtx);
  add_cuda_options(app, options_);
  add_call_chain_options(app, options_.call_chains);
  add_python_options(app, options_);
  add_flight_options(app, options_);
}

void LaunchOptions::resolve() {
  if (std::exchange(options_.trace_system_calls, false))
    options_.warnings.emplace_back(
        "--trace=syscall: not recorded; prof profile records system calls, a session does not");
  resolve_launched_steps(ranges_, options_);
  resolve_python_ranges(options_);
  resolve_nvtx_capture(ranges_, options_.ranges);
  resolve_cuda(options_);
  resolve_graphics(options_);
  resolve_call_chains(options_);
  resolve_python_call_chains(options_);
  resolve_nvtx(options_);
  options_.version = kVersion;
  check_flight_options(options_);
  check_thinning_options(options_);
  if (!options_.flight.is_on() && !output.empty())
    throw Failure("--output is for --flight-recorder; prof start takes that of a collection",
                  kBadUsage);
  // A flight recorder has no prof start that would set these options.
  if (options_.flight.is_on()) resolve_sampling(options_);
}

std::vector<std::string> words_for_start(const std::vector<std::string>& words) {
  CLI::App app;
  session::SamplingOptions unused;
  add_sampling_options(app, unused);
  std::vector<std::string> found;
  for (const std::string& word : words)
    if (app.get_option_no_throw(word.substr(0, word.find('='))) != nullptr) found.push_back(word);
  return found;
}

void StartOptions::define(CLI::App& app) {
  add_session(app, session);
  add_new_session(app, session);
  define_collection(app);
  add_capture_range(app, ranges_);
  add_at_step(app, ranges_.at_step);
  app.add_option("--capture-range-end", ranges_.end,
                 "stop: end the collection with the first range. repeat[:N]: write a report for "
                 "each range, or for the first N. none: record from the start of the first range "
                 "to the end of the collection")
      ->type_name("ACTION")
      ->capture_default_str();
  add_trigger_options(app, options_.time);
  add_bool(app, "-x,--stop-on-exit", options_.stop_on_exit,
           "End the collection when the last program has ended. false: prof stop ends it");
  add_hook_options(app, options_.hooks);
  add_command_file(app, command_file_);
}

void StartOptions::define_collection(CLI::App& app) {
  add_output(app, output, options_.overwrite);
  add_sampling_options(app, options_.cpu);
  add_ftrace_options(app, options_.tracepoints);
  add_gpu_metrics_options(app, options_);
  add_plugin_options(app, options_, plugin_help_);
  add_report_work(app, work);
}

bool StartOptions::print_help() const {
  if (print_metrics_help(options_.gpu_metrics, options_.cuda.cupti)) return true;
  if (plugin_help_) fmt::print("{}", metrics::plugin_help());
  return plugin_help_;
}

void StartOptions::resolve() {
  resolve_sampling(options_);
  resolve_gpu_metrics(options_);
  resolve_started_range(ranges_, options_);
  check_trigger_options(options_);
  std::erase(work.exports, "none");
  for (const std::string& type : work.exports) check_export_type(type);
  options_.version = kVersion;
}

template <class Options>
void read_words(Options& options, const std::vector<std::string>& words, const std::string& verb,
                bool takes_command) {
  CLI::App app;
  let_last_value_count(app);
  options.define(app);
  OptionSet known(app);
  parse_options(app, split_arguments(known, verb, words, takes_command), verb);
  options.resolve();
}

template void read_words(LaunchOptions&, const std::vector<std::string>&, const std::string&, bool);
template void read_words(StartOptions&, const std::vector<std::string>&, const std::string&, bool);

}  // namespace prof::cli
