// Receives the text of a table.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace prof::tables {

using Write = std::function<void(std::string_view)>;

// Collects text and writes it in large pieces, so that a trace of millions of events is never
// entirely in memory.
class TextSink {
 public:
  explicit TextSink(const Write& write) : write_(write) {}

  TextSink& operator+=(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kPiece) flush();
    return *this;
  }
  // Writes the rest. Must be called at the end.
  void flush() {
    write_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kPiece = 1 << 16;

  const Write& write_;
  std::string buffer_;
};

}  // namespace prof::tables
