#include "collector/session/control/file_watch.hpp"

#include <utility>

namespace prof::session {

FileWatch::FileWatch(const Trigger& trigger)
    : path_(trigger.is_file() ? trigger.path : std::string()), last_(look()) {}

std::optional<FileWatch::State> FileWatch::look() const {
  struct stat info {};
  if (path_.empty() || stat(path_.c_str(), &info) != 0) return std::nullopt;
  return State{info.st_ino, info.st_mtim};
}

bool FileWatch::has_appeared() {
  const auto before = std::exchange(last_, look());
  return last_ && last_ != before;
}

}  // namespace prof::session
