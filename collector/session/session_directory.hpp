// The private directory (0700) through which targets find the session. Removed with the object.
#pragma once

#include <sys/types.h>

#include <string>

#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"

namespace prof::session {

class SessionDirectory {
 public:
  // In $XDG_RUNTIME_DIR, $TMPDIR or /tmp, whichever works first; also removes what sessions of this
  // user left there whose profiler is gone. Places where others could put something of theirs in
  // its place come last: a target talks to nobody but this user and root.
  static base::Result<SessionDirectory> create();

  SessionDirectory(SessionDirectory&& other) noexcept;
  SessionDirectory& operator=(SessionDirectory&&) = delete;
  SessionDirectory(const SessionDirectory&) = delete;
  ~SessionDirectory();

  // Is it still there, with what was in it?
  bool is_intact() const;

  // Puts a file there for targets to read.
  base::Status leave(const std::string& name, const std::string& content) const;

  // Makes a pipe there, for targets to write to. It never blocks us, and never reads as ended.
  base::Result<base::UniqueFd> make_pipe(const std::string& name) const;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  SessionDirectory(std::string path, ino_t inode) : path_(std::move(path)), inode_(inode) {}
  std::string path_;
  ino_t inode_;
};

}  // namespace prof::session
