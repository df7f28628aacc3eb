// The private directory (mode 0700) through which processes find the session. It is removed with
// the object.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"

namespace prof::session {

class SessionDirectory {
 public:
  // Creates it in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, whichever works first. Places where other
  // users could replace the directory come last, as processes must reach only this user and root.
  static base::Result<SessionDirectory> create();

  // Those of these places in which other users cannot replace what this user creates.
  static std::vector<std::string> safe_places();

  // Removes directories in these places of this user's sessions whose profiler has ended.
  static void remove_stale();

  SessionDirectory(SessionDirectory&& other) noexcept;
  SessionDirectory& operator=(SessionDirectory&&) = delete;
  SessionDirectory(const SessionDirectory&) = delete;
  ~SessionDirectory();

  // Is the directory still there, with the control socket in it?
  bool is_intact() const;

  // Writes a file there for processes to read.
  base::Status write_file(const std::string& name, const std::string& content) const;

  // Makes a pipe there for processes to write to. Reading from it never blocks, and never returns
  // an end of file.
  base::Result<base::UniqueFd> make_pipe(const std::string& name) const;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  SessionDirectory(std::string path, ino_t inode) : path_(std::move(path)), inode_(inode) {}
  std::string path_;
  ino_t inode_;
};

}  // namespace prof::session
