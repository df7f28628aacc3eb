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
class BufferedOutput {
 public:
  explicit BufferedOutput(const Output& output) : output_(output) {}

  // Returns the first error of the output, if any.
  const base::Status& status() const { return status_; }
  base::Status finish() {
    flush();
    return status_;
  }

 protected:
  void flush_if_large() {
    constexpr std::size_t kPiece = 1 << 16;
    if (buffer_.size() >= kPiece) flush();
  }

  std::string buffer_;

 private:
  void flush() {
    if (status_ && !buffer_.empty()) status_ = output_(buffer_);
    buffer_.clear();
  }

  const Output& output_;
  base::Status status_;
};

class Writer : public BufferedOutput {
 public:
  using BufferedOutput::BufferedOutput;

  Writer& operator<<(std::string_view text) {
    buffer_ += text;
    flush_if_large();
    return *this;
  }
};

}  // namespace prof::formats
