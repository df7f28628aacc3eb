// Keeps what the target writes to stdout and stderr, for the report.
//
// The target gets a pipe or a terminal unchanged, because a copy in between would change what
// isatty(), buffering and SIGPIPE do (docs/decisions/0005). So only what can be read from a file
// afterwards is kept: a regular file that a stream was redirected to, and the files of
// --show-output=false.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/session/session_directory.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

struct CapturedStream {
  std::string file;
  std::string content;
};

// Returns the files of redirected streams in the session directory. Invalid if one cannot be made.
base::UniqueFd redirected_stream(const std::string& directory, int number);
// Returns the content of the files, at most the last 16 MiB of each.
std::vector<CapturedStream> read_redirected_streams(const SessionDirectory& directory);

class StreamCapture {
 public:
  // `show`: leaves the streams as they are. Otherwise they are redirected to files in the session
  // directory.
  static base::Result<StreamCapture> create(const SessionDirectory& directory, bool show);

  // For the launcher: -1 if the target keeps the stream of prof.
  int stdout_fd() const { return streams_[0].redirected.get(); }
  int stderr_fd() const { return streams_[1].redirected.get(); }

  // Returns what was written since create(), at most the last 16 MiB of each stream.
  std::vector<CapturedStream> collect() const;

 private:
  struct Stream {
    base::UniqueFd redirected;
    std::string path;  // empty: cannot be read
    off_t start = 0;
    dev_t device = 0;
    ino_t inode = 0;
  };
  Stream streams_[2];
};

}  // namespace prof::session
