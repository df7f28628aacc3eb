#include "collector/prometheus/metrics_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "common/base/utf8.hpp"

namespace prof::prometheus {

namespace {

void append_label(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    c == '\n' ? out += "\\n" : out += c;
  }
}

}  // namespace

void MetricsText::metric(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void MetricsText::begin_sample(const Labels& labels, std::string_view suffix) {
  text_ += name_;
  text_ += suffix;
  char before = '{';
  for (const auto& [name, value] : labels) {
    text_ += std::exchange(before, ',');
    text_ += name;
    text_ += "=\"";
    append_label(text_, base::is_utf8(value) ? value : base::escaped_to_utf8(value));
    text_ += '"';
  }
  if (!labels.empty()) text_ += '}';
}

void MetricsText::sample(const Labels& labels, double value, std::string_view suffix) {
  begin_sample(labels, suffix);
  fmt::format_to(std::back_inserter(text_), " {}\n", value);
}

void MetricsText::sample(const Labels& labels, std::uint64_t value, std::string_view suffix) {
  begin_sample(labels, suffix);
  fmt::format_to(std::back_inserter(text_), " {}\n", value);
}

}  // namespace prof::prometheus
