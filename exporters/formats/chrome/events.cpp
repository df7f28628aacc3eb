#include "exporters/formats/chrome/events.hpp"

#include <fmt/format.h>

#include <iterator>

namespace prof::formats {

void append_microseconds(std::string& text, std::int64_t nanoseconds) {
  if (nanoseconds < 0) text += '-';
  const auto value = static_cast<std::uint64_t>(nanoseconds < 0 ? -nanoseconds : nanoseconds);
  fmt::format_to(std::back_inserter(text), "{}.{:03}", value / 1000, value % 1000);
}

void ChromeEvents::begin() { line_ = count_++ == 0 ? "\n{" : ",\n{"; }

void ChromeEvents::add_row(ChromeRow row) {
  fmt::format_to(std::back_inserter(line_), ",\"pid\":{},\"tid\":{}", row.pid, row.tid);
}

void ChromeEvents::slice(std::string_view name, std::string_view category, ChromeRow row,
                         std::int64_t start, std::int64_t end_time, std::string_view arguments) {
  begin();
  ((line_ += "\"ph\":\"X\",\"cat\":\"") += category) += "\",\"name\":";
  line_ += name;
  add_row(row);
  append_microseconds(line_ += ",\"ts\":", start);
  append_microseconds(line_ += ",\"dur\":", end_time - start);
  if (!arguments.empty()) ((line_ += ",\"args\":{") += arguments) += '}';
  end();
}

void ChromeEvents::instant(std::string_view name, std::string_view category, ChromeRow row,
                           std::int64_t time, std::string_view arguments) {
  begin();
  ((line_ += "\"ph\":\"i\",\"s\":\"t\",\"cat\":\"") += category) += "\",\"name\":";
  line_ += name;
  add_row(row);
  append_microseconds(line_ += ",\"ts\":", time);
  if (!arguments.empty()) ((line_ += ",\"args\":{") += arguments) += '}';
  end();
}

void ChromeEvents::counter(std::string_view name, std::int64_t pid, std::int64_t time,
                           double value) {
  begin();
  fmt::format_to(std::back_inserter(line_), "\"ph\":\"C\",\"name\":{},\"pid\":{}", name, pid);
  append_microseconds(line_ += ",\"ts\":", time);
  fmt::format_to(std::back_inserter(line_), ",\"args\":{{\"value\":{}}}", value);
  end();
}

void ChromeEvents::link_start(std::uint64_t link, ChromeRow row, std::int64_t time) {
  begin();
  fmt::format_to(std::back_inserter(line_), R"("ph":"s","cat":"ac2g","name":"ac2g","id":{})", link);
  add_row(row);
  append_microseconds(line_ += ",\"ts\":", time);
  end();
}

void ChromeEvents::link_end(std::uint64_t link, ChromeRow row, std::int64_t time) {
  begin();
  fmt::format_to(std::back_inserter(line_),
                 R"("ph":"f","bp":"e","cat":"ac2g","name":"ac2g","id":{})", link);
  add_row(row);
  append_microseconds(line_ += ",\"ts\":", time);
  end();
}

void ChromeEvents::metadata(std::string_view what, std::string_view argument, ChromeRow row,
                            std::string_view value) {
  begin();
  fmt::format_to(std::back_inserter(line_), R"("ph":"M","name":"{}","ts":0.000,"args":{{"{}":{}}})",
                 what, argument, value);
  add_row(row);
  end();
}

}  // namespace prof::formats
