#include "cli/options/recording/trigger_options.hpp"

#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "cli/messages/failure.hpp"
#include "cli/options/capture_range_options.hpp"
#include "cli/options/option_kinds.hpp"

namespace prof::cli {

namespace {

using session::Trigger;

constexpr char kSignalPrefix[] = "signal:";
constexpr char kFilePrefix[] = "file:";

// Signals that cannot be triggers: prof needs them itself, or nobody can wait for them.
constexpr int kTakenSignals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGCHLD, SIGKILL, SIGSTOP,
                                 SIGPIPE, SIGXFSZ, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT};

int trigger_signal(const std::string& option, const std::string& text) {
  const int signal = find_signal(text);
  if (signal == 0)
    throw Failure(option + ": not a signal: " + text + " (a name or number, as in signal:SIGUSR1)",
                  kBadUsage);
  if (std::ranges::find(kTakenSignals, signal) != std::end(kTakenSignals))
    throw Failure(
        option + ": prof cannot wait for SIG" + sigabbrev_np(signal) + "; use SIGUSR1, for example",
        kBadUsage);
  return signal;
}

Trigger trigger_of(const std::string& option, const std::string& word) {
  Trigger trigger;
  trigger.word = word;
  if (word == "none") return {};
  if (word.starts_with("hotkey"))
    throw Failure(option + ": hot keys are not supported; use a signal, a file or control",
                  kBadUsage);
  if (word == "control") {
    trigger.kind = Trigger::Kind::kControl;
  } else if (word.starts_with(kSignalPrefix)) {
    trigger.kind = Trigger::Kind::kSignal;
    trigger.signal = trigger_signal(option, word.substr(sizeof kSignalPrefix - 1));
  } else if (word.starts_with(kFilePrefix) && word.size() > sizeof kFilePrefix - 1) {
    trigger.kind = Trigger::Kind::kFile;
    trigger.path = std::filesystem::absolute(word.substr(sizeof kFilePrefix - 1)).string();
  } else {
    throw Failure(
        option + ": unknown event " + word + " (known: none, signal:SIGNAL, file:PATH, control)",
        kBadUsage);
  }
  return trigger;
}

void add_trigger(CLI::App& app, const std::string& name, Trigger& target, const std::string& help) {
  add_parsed(
      app, name, [name, &target](const std::string& word) { target = trigger_of(name, word); },
      help)
      ->type_name("none|signal:SIGNAL|file:PATH|control")
      ->default_str("none")
      ->group("Time");
}

}  // namespace

void add_trigger_options(CLI::App& app, session::TimeOptions& time) {
  add_trigger(app, "--start-on", time.start_on,
              "Begin to record when prof gets the signal, when the file appears or is touched, or "
              "when a program or script says start (see COMMANDS in prof-start(1))");
  add_trigger(app, "--stop-on", time.stop_on,
              "Stop recording at such an event. The same one can start and stop");
}

void check_trigger_options(const session::SessionOptions& options) {
  const session::TimeOptions& time = options.time;
  if (time.start_on.is_set() && time.delay.count() != 0)
    throw Failure("--start-on and --delay contradict each other", kBadUsage);
  if ((time.start_on.is_set() || time.stop_on.is_set()) && options.ranges.enabled)
    throw Failure("--start-on and --stop-on do not go with --capture-range", kBadUsage);
}

std::string why_never_started(const session::TimeOptions& time) {
  if (!time.job.empty())
    return "the program ended before prof start --job " + time.job +
           ", or before its --at-step, so the report has no events";
  if (!time.start_on.is_set())
    return "the program ended before --delay was over, so the report has no events";
  return "the program ended, and nothing had started the recording (--start-on=" +
         time.start_on.word + "), so the report has no events";
}

}  // namespace prof::cli
