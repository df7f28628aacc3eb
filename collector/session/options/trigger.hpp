// An event outside of prof that begins or ends a recording.
#pragma once

#include <string>

namespace prof::session {

struct Trigger {
  enum class Kind { kNone, kSignal, kFile, kControl };
  Kind kind = Kind::kNone;
  int signal = 0;    // signal that prof gets
  std::string path;  // absolute path of the file
  std::string word;  // as the user wrote it

  bool is_set() const { return kind != Kind::kNone; }
  bool is_signal(int number) const { return kind == Kind::kSignal && signal == number; }
  bool is_file() const { return kind == Kind::kFile; }
  bool is_control() const { return kind == Kind::kControl; }
};

}  // namespace prof::session
