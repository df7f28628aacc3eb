#include "cli/output/left_over.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "cli/messages/message.hpp"
#include "cli/output/report_steps.hpp"
#include "collector/ingest/capture_ranges.hpp"
#include "collector/spool/flight/flight_folder.hpp"
#include "collector/spool/left_over.hpp"
#include "collector/spool/spool.hpp"
#include "collector/spool/spool_path.hpp"
#include "common/base/folder.hpp"
#include "common/base/held/held_file.hpp"
#include "common/base/held/temporary_places.hpp"
#include "common/base/temporary_file.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxLines = 20;

struct Recording {
  std::string path;
  std::string command;  // the command that makes its reports
};

// A recording whose prof was killed may have all of its reports, some, or none.
struct Reports {
  bool all_written;
  bool none_in_the_way;  // existing files with the names of its reports belong to it
};

Reports reports_of(const spool::LeftOver& left, const std::string& path) {
  const auto spool = spool::Spool::open(left.file.get(), path);
  if (!spool) return {};
  const auto parts = ingest::report_windows(*spool);
  if (!parts) return {};
  Reports reports{true, true};
  if (parts->is_empty) return reports;  // a recording without a range is useless
  const std::vector<std::string> names = report_names(*parts, *spool::report_path(path));
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::error_code error;
    const bool own = is_report_of(*spool, parts->windows[i], names[i]);
    reports.all_written &= own;
    reports.none_in_the_way &= own || !fs::exists(names[i], error);
  }
  return reports;
}

// Removes the recording if it is useless. Otherwise returns it.
std::optional<Recording> consider(const std::string& path) {
  const auto left = spool::find_left_over(path);
  if (!left) return {};
  // A large recording always makes reports. If none of them exists, the recording need not be read.
  const bool has_none = left->is_large && spool::has_free_name(path);
  const Reports reports =
      left->has_content && !has_none ? reports_of(*left, path) : Reports{false, false};
  if (left->has_content && !reports.all_written)
    return Recording{path, spool::recovery_command(path, reports.none_in_the_way)};
  spool::remove_left_over(*left, path);
  return {};
}

// Removes the useless recordings. Returns the others.
std::vector<Recording> clear_folder(const fs::path& folder) {
  std::vector<Recording> recordings;
  base::for_each_name(folder.empty() ? "." : folder.string(), [&](std::string_view found) {
    const std::string name(found);
    if (base::is_temporary_name(name))
      base::remove_left_file((folder / name).string());
    else if (spool::report_path(name))
      if (auto recording = consider((folder / name).string()))
        recordings.push_back(std::move(*recording));
  });
  std::ranges::sort(recordings, {}, &Recording::path);
  return recordings;
}

void tell(const std::vector<Recording>& recordings) {
  for (std::size_t i = 0; i < std::min(recordings.size(), kMaxLines); ++i)
    print_message("prof: {} is the recording of a prof that was killed. To make the report: {}\n",
                  recordings[i].path, recordings[i].command);
  if (recordings.size() > kMaxLines)
    print_message("prof: {} more recordings (*.spool) there are from a prof that was killed.\n",
                  recordings.size() - kMaxLines);
}

// True if this prof has not searched the folder yet.
bool is_new(const fs::path& folder) {
  static std::set<std::pair<dev_t, ino_t>> seen;
  struct stat info {};
  return stat(folder.empty() ? "." : folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         seen.emplace(info.st_dev, info.st_ino).second;
}

}  // namespace

void report_recordings(const std::vector<std::string>& files, const std::string& except) {
  std::vector<fs::path> folders;
  for (const std::string& file : files) folders.push_back(fs::path(file).parent_path());
  folders.emplace_back();
  for (const fs::path& folder : folders) {
    if (!is_new(folder)) continue;
    std::vector<Recording> recordings = clear_folder(folder);
    std::erase_if(recordings, [&](const Recording& recording) {
      std::error_code error;
      return !except.empty() && fs::equivalent(recording.path, except, error);
    });
    tell(recordings);
  }
}

void remove_left_folders() {
  base::remove_left_temporaries();
  spool::FlightFolder::remove_stale();
}

void report_left_overs(const std::vector<std::string>& files, const std::string& except) {
  remove_left_folders();
  report_recordings(files, except);
}

}  // namespace prof::cli
