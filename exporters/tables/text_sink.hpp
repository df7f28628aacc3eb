// Where the text of a table goes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace prof::tables {

using Write = std::function<void(std::string_view)>;

// Gathers text and writes it in large pieces: a trace of millions of events is never whole in
// memory.
class TextSink {
 public:
  explicit TextSink(const Write& write) : write_(write) {}

  TextSink& operator+=(std::string_view text) {
    gathered_ += text;
    if (gathered_.size() >= kPiece) flush();
    return *this;
  }
  // At the end.
  void flush() {
    write_(gathered_);
    gathered_.clear();
  }

 private:
  static constexpr std::size_t kPiece = 1 << 16;

  const Write& write_;
  std::string gathered_;
};

}  // namespace prof::tables
