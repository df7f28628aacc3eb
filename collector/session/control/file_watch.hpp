// Notices that a file is created, replaced or touched. The file is polled, because not every file
// system reports changes (mounted volumes, network file systems).
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <optional>
#include <string>

#include "collector/session/options/trigger.hpp"

namespace prof::session {

class FileWatch {
 public:
  static constexpr auto kInterval = std::chrono::milliseconds(100);

  // A file that exists now is not an event. Watches nothing if the trigger is not a file.
  explicit FileWatch(const Trigger& trigger);

  bool is_active() const { return !path_.empty(); }
  // True if the file has appeared or changed since the last call.
  bool has_appeared();

 private:
  struct State {
    ino_t inode;
    timespec modified;
    friend bool operator==(const State& a, const State& b) {
      return a.inode == b.inode && a.modified.tv_sec == b.modified.tv_sec &&
             a.modified.tv_nsec == b.modified.tv_nsec;
    }
  };
  std::optional<State> look() const;

  std::string path_;
  std::optional<State> last_;
};

}  // namespace prof::session
