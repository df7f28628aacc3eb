// Where an export goes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "collector/base/result.hpp"

namespace prof::formats {

// Takes a part of the document; an error stops the export.
using Output = std::function<base::Status(std::string_view)>;

// Gathers small pieces; what comes after a failure is dropped.
class Writer {
 public:
  explicit Writer(const Output& output) : output_(output) {}

  Writer& operator<<(std::string_view text) {
    gathered_ += text;
    if (gathered_.size() >= kPiece) flush();
    return *this;
  }
  base::Status finish() {
    flush();
    return status_;
  }

 private:
  static constexpr std::size_t kPiece = 1 << 16;

  void flush() {
    if (status_ && !gathered_.empty()) status_ = output_(gathered_);
    gathered_.clear();
  }

  const Output& output_;
  std::string gathered_;
  base::Status status_;
};

}  // namespace prof::formats
