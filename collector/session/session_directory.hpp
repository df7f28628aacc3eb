// The private directory (0700) through which targets find the session. Removed with the object.
#pragma once

#include <string>

#include "collector/base/result.hpp"

namespace prof::session {

class SessionDirectory {
 public:
  // In $XDG_RUNTIME_DIR, $TMPDIR or /tmp, whichever works first; also removes what sessions of this
  // user left there whose profiler is gone.
  static base::Result<SessionDirectory> create();

  SessionDirectory(SessionDirectory&& other) noexcept;
  SessionDirectory& operator=(SessionDirectory&&) = delete;
  SessionDirectory(const SessionDirectory&) = delete;
  ~SessionDirectory();

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit SessionDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace prof::session
