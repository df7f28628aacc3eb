// The options of a session on demand, as its commands ask for them: the first prof launch chooses
// those of the programs, and each prof start those of its collection.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

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

// What the command line does for the collector of a session. All of it runs in the collector's
// process, but write_reports() and detach(), each in a child of it.
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
  // `name`: of the session. The references outlive the object.
  RequestedOptions(const std::string& name, const SessionHooks& hooks);

  const SessionOptions& get() const { return options_; }

  // Adds what the first prof launch asks for. `waits_to_collect`: after a prof start.
  base::Status choose(const Message& launch, bool waits_to_collect);
  // Fails if another prof launch asks for other options: the programs share them.
  base::Status compare(const Message& launch, const spool::SessionClock& clock,
                       bool has_metrics_endpoint) const;
  // Keeps the warnings of a prof launch for the report. It has printed them.
  void keep_warnings(const Message& launch);
  const Words& launch_warnings() const { return launch_warnings_; }

  // Reads what prof start asks for.
  base::Status read_start(const Message& start);
  // Its words, after those that were given before the start.
  Words start_words(const Message& start) const;
  base::Result<ChosenOutput> start_output(const Message& start) const;
  // Where text commands make reports: the folder of the first prof launch.
  const std::string& folder() const { return folder_; }

  // Everything is recorded if nothing can begin a capture range.
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
