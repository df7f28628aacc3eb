#include "exporters/analysis/analyze/findings/amount_text.hpp"

#include <fmt/format.h>

#include "common/base/text/amounts.hpp"
#include "common/base/text/marked_name.hpp"

namespace prof::analyze {

namespace {

std::string text_of(const base::Scaled& scaled) {
  return fmt::format("{:.3g} {}", scaled.value, scaled.unit);
}

}  // namespace

std::string time_text(std::int64_t ns) {
  return text_of(base::scaled_duration(static_cast<double>(ns)));
}

std::string count_text(std::int64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", count, noun);
}

std::string bytes_text(std::int64_t bytes) {
  return text_of(base::scaled_bytes(static_cast<double>(bytes)));
}

std::string name_text(const std::string& name) {
  constexpr std::size_t kLongest = 100;
  return base::mark_name("kernel",
                         name.size() <= kLongest ? name : name.substr(0, kLongest) + "...");
}

}  // namespace prof::analyze
