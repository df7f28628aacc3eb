#include "cli/output/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace prof::cli {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(steady_clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

void ProgressLine::update(double fraction) {
  fraction_ = fraction;
  show();
}

void ProgressLine::update_rows(std::uint64_t rows) {
  rows_ = rows;
  show();
}

void ProgressLine::update_bytes(std::uint64_t bytes) {
  bytes_ = bytes;
  show();
}

void ProgressLine::show() {
  if (!terminal_) return;
  const auto now = steady_clock::now();
  if (now - start_ < milliseconds(500) || now - last_ < milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  if (bytes_ > 0)
    std::fprintf(stderr, "\rprof: %s: %.1f MB", what_.c_str(), static_cast<double>(bytes_) / 1e6);
  else
    std::fprintf(stderr, "\rprof: %s: %3.0f %%", what_.c_str(), fraction_ * 100);
  if (rows_ > 0) std::fprintf(stderr, ", %.1f million rows", static_cast<double>(rows_) / 1e6);
  std::fflush(stderr);
}

}  // namespace prof::cli
