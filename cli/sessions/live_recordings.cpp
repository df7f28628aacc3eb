#include "cli/sessions/live_recordings.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "cli/messages/failure.hpp"
#include "cli/sessions/session_client.hpp"
#include "collector/ingest/capture_ranges.hpp"
#include "collector/ingest/report_builder.hpp"
#include "collector/live/process_tree.hpp"
#include "collector/spool/flight/living_recorder.hpp"
#include "collector/spool/spool_path.hpp"
#include "common/base/held/temporary_places.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/scratch_memory.hpp"
#include "common/report/report_writer.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

// Returns the recording that a process has open, with an empty path if there is none.
LiveRecording recording_of(pid_t pid) {
  LiveRecording recording;
  const std::string program = base::read_link(base::proc_path(pid, "exe"));
  if (fs::path(program).filename().string().rfind("prof", 0) != 0) return recording;
  for (const pid_t fd : base::ids_in(base::proc_path(pid, "fd"))) {
    const std::string path = base::proc_path(pid, fmt::format("fd/{}", fd));
    const std::string target = base::read_link(path);
    if (!target.ends_with(spool::kSpoolSuffix)) continue;
    recording.writer = pid;
    recording.path = path;
    recording.name = target;
  }
  return recording;
}

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

std::string list_of(const std::vector<LiveRecording>& recordings) {
  std::string text;
  for (const LiveRecording& each : recordings)
    text += (text.empty() ? "" : ", ") +
            (each.session.empty() ? std::to_string(each.writer) : each.session);
  return text;
}

}  // namespace

std::vector<LiveRecording> live_recordings() {
  const std::vector<session::Message> sessions = describe_sessions();
  const std::vector<live::Process> all = live::all_processes();
  std::vector<LiveRecording> found;
  std::set<std::string> seen;
  for (const live::Process& each : all) {
    LiveRecording recording = recording_of(each.pid);
    if (recording.path.empty() || !seen.insert(recording.name).second) continue;
    std::vector<pid_t> roots{each.pid};
    for (const session::Message& session : sessions) {
      if (session.value("id", 0) != each.pid) continue;
      recording.session = session.value("name", "");
      if (const auto programs = session.find("programs"); programs != session.end())
        for (const auto& program : *programs) roots.push_back(program.get<pid_t>());
    }
    for (const live::Process& process : live::trees_of(all, roots, true))
      if (process.pid != each.pid) recording.processes.push_back(process.pid);
    found.push_back(std::move(recording));
  }
  return found;
}

LiveRecording find_live_recording(const std::string& word) {
  const std::vector<LiveRecording> all = live_recordings();
  if (word.empty()) {
    if (all.size() == 1) return all.front();
    if (all.empty())
      throw Failure("prof records nothing now; prof stack looks at programs that are not recorded");
    throw Failure("several programs are being recorded: choose one of " + list_of(all));
  }
  for (const LiveRecording& each : all)
    if (each.session == word) return each;
  if (is_number(word)) {
    for (const LiveRecording& each : all)
      if (word == std::to_string(each.writer) ||
          std::ranges::any_of(each.processes,
                              [&](pid_t pid) { return word == std::to_string(pid); }))
        return each;
    throw Failure("process " + word + " is not being recorded; prof stack " + word +
                  " shows what it is doing");
  }
  for (const session::Message& session : describe_sessions())
    if (session.value("name", "") == word)
      throw Failure("the session " + word + " collects nothing now; prof start begins that");
  throw Failure("there is no session " + word +
                (all.empty() ? "" : "; being recorded now: " + list_of(all)));
}

base::PrivateFolder make_live_folder() {
  return take(base::PrivateFolder::create(base::place_for_large_files() + "/prof-live-"));
}

void write_report_so_far(const LiveRecording& recording, const std::string& report) {
  base::ScratchMemory memory(fs::path(report).parent_path().string());
  const base::UniqueFd file(open(recording.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw Failure("cannot open " + recording.name + ": " + strerror(errno));
  auto spool = take(spool::Spool::open(file.get(), recording.name, &memory));
  std::optional<ingest::Window> window;
  if (const auto flight = spool::unfinished_flight(spool)) {
    const auto copy = take(spool::copy_of_flight(*flight, report + ".spool"));
    spool = take(spool::Spool::open(copy.get(), recording.name, &memory));
    window = take(ingest::report_windows(spool)).windows.front();
  }
  const auto writer = take(report::ReportWriter::create(report, true, &memory));
  take(ingest::build_report(spool, *writer, report, {}, window));
  check(writer->finish());
}

}  // namespace prof::cli
