// The options that the commands of a session on demand request. The first prof launch chooses the
// options of the programs, and each prof start the options of its collection.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collector/session/control/step_pace.hpp"
#include "collector/session/interactive/client.hpp"
#include "collector/session/interactive/report_process.hpp"
#include "collector/session/options/session_options.hpp"
#include "collector/spool/session_clock.hpp"
#include "common/base/held/reserved_name.hpp"
#include "common/base/result.hpp"

namespace prof::session {

// The report of a collection, and the reservation of its name until the recording exists.
struct ChosenOutput {
  std::string path;
  std::optional<base::ReservedName> reserved{};
};

// The functions of the command line that the collector of a session calls. They run in the
// collector's process, except for write_reports() and detach(), which run in child processes.
struct SessionHooks {
  // Parses the words of prof launch or prof start, and adds them to the options.
  std::function<base::Status(const Words&, SessionOptions&)> read_launch;
  std::function<base::Status(const Words&, SessionOptions&)> read_start;
  // Returns the words of a line of text, or the report that the words of prof start name.
  std::function<base::Result<Words>(const std::string&)> split_words;
  std::function<base::Result<ChosenOutput>(const Words&)> output_of;
  WriteReports write_reports;
  // Detaches from these programs, for prof attach. Also runs in a child process of the collector.
  std::function<void(const std::vector<pid_t>&)> detach;
};

class RequestedOptions {
 public:
  // `name` is the name of the session. The references outlive the object.
  RequestedOptions(const std::string& name, const SessionHooks& hooks);

  const SessionOptions& get() const { return options_; }

  // Adds the options of the first prof launch. `waits_to_collect`: prof start came before it.
  base::Status choose(const Message& launch, bool waits_to_collect);
  // Fails if a later prof launch requests other options, because all programs share the options.
  base::Status compare(const Message& launch, const spool::SessionClock& clock,
                       bool has_metrics_endpoint) const;
  // Keeps the warnings of a prof launch, which it has printed, for the report.
  void keep_warnings(const Message& launch);
  const Words& launch_warnings() const { return launch_warnings_; }

  // Reads the options of a prof start.
  base::Status read_start(const Message& start);
  // Chooses the first step of prof start --at-step. Fails if steps are not counted, or if the step
  // has passed. `has_programs`: prof launch has come before.
  base::Status choose_steps(const StepPace& pace, bool has_programs);
  // Returns the words of a prof start, after the words that prof profile --start-later gave.
  Words start_words(const Message& start) const;
  base::Result<ChosenOutput> start_output(const Message& start) const;
  // Returns the folder of the first prof launch, where text commands make reports.
  const std::string& folder() const { return folder_; }

  // Makes the collection record everything if nothing can begin its capture ranges.
  void drop_impossible_ranges();

 private:
  const std::string& name_;
  const SessionHooks& hooks_;
  SessionOptions options_;
  Words defaults_;  // words of prof start, from prof profile --start-later
  std::string folder_;
  Words launch_warnings_;
};

}  // namespace prof::session
