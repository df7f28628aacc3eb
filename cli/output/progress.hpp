// A progress line on a terminal, for work that takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace prof::cli {

class ProgressLine {
 public:
  // `what` names the work: "writing report1.db".
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows the `fraction` of the work that is done, 0 to 1. Shows nothing in the first half second,
  // and nothing if stderr is not a terminal.
  void update(double fraction);
  // Shows the number of rows written until now.
  void update_rows(std::uint64_t rows);
  // Shows the number of bytes written until now. For work whose size is not known.
  void update_bytes(std::uint64_t bytes);

 private:
  void show();

  std::string what_;
  bool terminal_;
  bool shown_ = false;
  double fraction_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace prof::cli
