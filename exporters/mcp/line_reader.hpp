// Reads the lines of a client in a separate thread, so that a client can cancel a request that
// waits or is answered.
#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace prof::mcp {

class LineReader {
 public:
  // `input` is read until its end, and must live until then, even longer than the reader.
  explicit LineReader(std::istream& input);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  struct Line {
    std::string text;
    std::stop_token stop;  // asked to stop when the client cancels this request
  };
  // Waits for the next line that is not empty and not cancelled. The line before it is done then.
  // Empty: the input has ended.
  std::optional<Line> next();

 private:
  struct Lines;
  std::shared_ptr<Lines> lines_;  // the thread has it, too
};

}  // namespace prof::mcp
