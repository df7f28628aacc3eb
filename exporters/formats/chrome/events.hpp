// Writes events in Chrome's trace event format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "exporters/formats/output.hpp"

namespace prof::formats {

// Where an event is shown.
struct ChromeRow {
  std::int64_t pid;
  std::int64_t tid;
};

class ChromeEvents {
 public:
  explicit ChromeEvents(Writer& writer) : writer_(writer) {}

  // `name` is in quotes. `arguments` has the members of an object, without its braces.
  void slice(std::string_view name, std::string_view category, ChromeRow row, std::int64_t start,
             std::int64_t end, std::string_view arguments);
  void instant(std::string_view name, std::string_view category, ChromeRow row, std::int64_t time,
               std::string_view arguments = {});
  // Writes a value of a counter. `name` is in quotes.
  void counter(std::string_view name, std::int64_t pid, std::int64_t time, double value);
  // Write the two ends of a link. `time` is the start of the slice at that end.
  void link_start(std::uint64_t link, ChromeRow row, std::int64_t time);
  void link_end(std::uint64_t link, ChromeRow row, std::int64_t time);
  // Writes metadata of a process or thread: "process_name" with the argument "name", and so on.
  // `value` is JSON.
  void metadata(std::string_view what, std::string_view argument, ChromeRow row,
                std::string_view value);

  std::uint64_t count() const { return count_; }

 private:
  void begin();
  void end() { writer_ << (line_ += '}'); }
  void add_row(ChromeRow row);

  Writer& writer_;
  std::string line_;
  std::uint64_t count_ = 0;
};

// Appends microseconds with three decimals, such as "1.001".
void append_microseconds(std::string& text, std::int64_t nanoseconds);

}  // namespace prof::formats
