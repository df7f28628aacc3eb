// Receives the text of an export.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace prof::formats {

// Receives the next part of the document. An error stops the export.
using Output = std::function<base::Status(std::string_view)>;

// Collects small pieces. After a failure all further text is dropped.
class Writer {
 public:
  explicit Writer(const Output& output) : output_(output) {}

  Writer& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kPiece) flush();
    return *this;
  }
  // Returns the first error of the output, if any.
  const base::Status& status() const { return status_; }
  base::Status finish() {
    flush();
    return status_;
  }

 private:
  static constexpr std::size_t kPiece = 1 << 16;

  void flush() {
    if (status_ && !buffer_.empty()) status_ = output_(buffer_);
    buffer_.clear();
  }

  const Output& output_;
  std::string buffer_;
  base::Status status_;
};

}  // namespace prof::formats
