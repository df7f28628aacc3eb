#include "cli/options/recording/time_options.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/recording/trigger_options.hpp"

namespace prof::cli {

namespace {

constexpr const char* kTimeGroup = "Time";
constexpr double kMaxSeconds = 1e9;

}  // namespace

std::chrono::nanoseconds seconds_of(const std::string& text, const std::string& name) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(seconds) || seconds < 0 ||
      seconds > kMaxSeconds)
    throw Failure(name + " " + text + ": not a number of seconds (0 or more)", kBadUsage);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

CLI::Option* add_duration(CLI::App& app, std::optional<std::chrono::nanoseconds>& duration,
                          const char* help) {
  return add_parsed(
             app, "-d,--duration",
             [&duration](const std::string& text) {
               const auto seconds = seconds_of(text, "--duration");
               duration.reset();
               if (seconds.count() > 0) duration = seconds;
             },
             help)
      ->type_name("SECONDS")
      ->default_str("0");
}

void add_time_options(CLI::App& app, session::SessionOptions& options) {
  session::TimeOptions& time = options.time;
  add_parsed(
      app, "-y,--delay",
      [&time](const std::string& text) { time.delay = seconds_of(text, "--delay"); },
      "Begin to record SECONDS after the start of the program")
      ->type_name("SECONDS")
      ->default_str("0")
      ->group(kTimeGroup);
  add_duration(app, time.duration,
               "Record for SECONDS, then end the program with the signal of --kill. 0: no limit")
      ->group(kTimeGroup);
  add_trigger_options(app, time);
  add_filled(app, "--job", time.job,
             "Begin to record at prof start --job FOLDER and stop at prof stop --job FOLDER, in "
             "all ranks that are recorded with this folder. All nodes must see it")
      ->type_name("FOLDER")
      ->group(kTimeGroup);
  add_bool(app, "-x,--stop-on-exit", options.stop_on_exit,
           "Stop when the program ends. false: record until --duration is over, or --stop-on")
      ->group(kTimeGroup);
}

void resolve_time_options(session::SessionOptions& options) {
  session::TimeOptions& time = options.time;
  if (options.ranges.enabled && (time.delay.count() != 0 || time.duration)) {
    options.warnings.emplace_back(
        "--delay and --duration have no effect with --capture-range, which begins and ends the "
        "recording");
    time.delay = {};
    time.duration.reset();
  }

  if (!time.job.empty() && (time.delay.count() != 0 || time.start_on.is_set() ||
                            time.stop_on.is_set() || options.ranges.enabled))
    throw Failure(
        "--job does not go with --delay, --start-on, --stop-on, --at-step and capture ranges: prof "
        "start --job RUN/ begins the recordings (--at-step N: all at one step)",
        kBadUsage);
  if (!options.stop_on_exit && !options.time.duration && !options.time.stop_on.is_set())
    throw Failure("--stop-on-exit=false needs --duration or --stop-on, which end the recording",
                  kBadUsage);
  if (!options.stop_on_exit && options.wait == session::Wait::kPrimary)
    throw Failure("--stop-on-exit=false and --wait=primary contradict each other", kBadUsage);
  check_trigger_options(options);
  if (options.time.is_any() && options.has(wire::kFeatureFileAccess))
    throw Failure(
        "--delay, --duration, --job, --start-on and --stop-on do not go with --osrt-file-access",
        kBadUsage);
}

}  // namespace prof::cli
