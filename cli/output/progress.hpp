// A progress line on a terminal, for work that takes long.
#pragma once

#include <chrono>
#include <string>

namespace prof::cli {

class ProgressLine {
 public:
  // `what`: the work, such as "writing report1.db".
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `fraction` done, 0 to 1. Shows nothing in the first half second, and nothing if
  // stderr is not a terminal.
  void update(double fraction);

 private:
  std::string what_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace prof::cli
