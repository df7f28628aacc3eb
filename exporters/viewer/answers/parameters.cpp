#include "exporters/viewer/answers/parameters.hpp"

#include <algorithm>
#include <charconv>

namespace prof::view {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : hex_digit(text[i + 2]);
    if (text[i] == '%' && low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

bool parse_whole(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string quoted_start(std::string_view text) {
  constexpr std::size_t kMaximum = 40;
  return text.size() <= kMaximum ? std::string(text) : std::string(text.substr(0, kMaximum)) + "…";
}

}  // namespace

Parameters Parameters::parse(std::string_view query) {
  Parameters result;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view item = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t sign = std::min(item.find('='), item.size());
    if (sign == 0) continue;
    result.values_.try_emplace(decoded(item.substr(0, sign)),
                               decoded(item.substr(std::min(sign + 1, item.size()))));
  }
  return result;
}

std::string_view Parameters::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string_view() : std::string_view(found->second);
}

Outcome<std::int64_t> Parameters::integer(std::string_view name) const {
  if (!has(name)) return fault(400, "parameter " + std::string(name) + " is missing");
  std::int64_t value = 0;
  if (!parse_whole(text(name), value))
    return fault(400, "parameter " + std::string(name) +
                          " needs a whole number, not: " + quoted_start(text(name)));
  return value;
}

Outcome<std::int64_t> Parameters::integer(std::string_view name, std::int64_t if_missing) const {
  return has(name) ? integer(name) : if_missing;
}

Outcome<std::int64_t> Parameters::integer_in(std::string_view name, std::int64_t least,
                                             std::int64_t most,
                                             std::optional<std::int64_t> if_missing) const {
  auto value = if_missing ? integer(name, *if_missing) : integer(name);
  if (value && (*value < least || *value > most))
    return fault(400, "parameter " + std::string(name) + " needs a number from " +
                          std::to_string(least) + " to " + std::to_string(most));
  return value;
}

Outcome<std::vector<std::int64_t>> Parameters::integers(std::string_view name,
                                                        std::size_t most) const {
  std::vector<std::int64_t> values;
  std::string_view rest = text(name);
  if (rest.empty()) return fault(400, "parameter " + std::string(name) + " is missing");
  while (true) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::int64_t value = 0;
    if (!parse_whole(rest.substr(0, end), value))
      return fault(400, "parameter " + std::string(name) +
                            " needs whole numbers, not: " + quoted_start(rest.substr(0, end)));
    values.push_back(value);
    if (values.size() > most)
      return fault(400, "parameter " + std::string(name) + " has more than " +
                            std::to_string(most) + " numbers");
    if (end == rest.size()) return values;
    rest.remove_prefix(end + 1);
  }
}

Outcome<std::size_t> Parameters::word(std::string_view name,
                                      const std::vector<std::string_view>& words) const {
  if (!has(name)) return 0;
  std::string known;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text(name)) return i;
    known += (i > 0 ? ", " : "") + std::string(words[i]);
  }
  return fault(400, "parameter " + std::string(name) + " is one of: " + known);
}

}  // namespace prof::view
