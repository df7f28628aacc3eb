#include "exporters/view/answers/name_search.hpp"

#include <regex.h>

#include <algorithm>
#include <array>
#include <string>

namespace prof::view {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Unlike std::regex it needs no stack that grows with the text.
class Expression {
 public:
  explicit Expression(const std::string& pattern)
      : status_(regcomp(&compiled_, pattern.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB)) {}
  ~Expression() {
    if (status_ == 0) regfree(&compiled_);
  }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;

  bool is_valid() const { return status_ == 0; }
  std::string error() const {
    std::array<char, 200> text{};
    regerror(status_, &compiled_, text.data(), text.size());
    return text.data();
  }
  bool matches(const std::string& text) const {
    return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
  int status_;
};

template <class Matches>
timeline::NameSet select(const timeline::Names& names, const Matches& matches) {
  timeline::NameSet found;
  const auto size = static_cast<std::uint32_t>(names.size());
  for (std::uint32_t number = 0; number < size; ++number)
    if (matches(names.text(number))) found.add(number);
  return found;
}

}  // namespace

Outcome<timeline::NameSet> find_names(const timeline::Names& names, std::string_view query) {
  if (query.size() > 2 && query.front() == '/' && query.back() == '/') {
    const Expression expression(std::string(query.substr(1, query.size() - 2)));
    if (!expression.is_valid())
      return fault(400, "not a regular expression: " + expression.error());
    return select(names,
                  [&](std::string_view text) { return expression.matches(std::string(text)); });
  }
  std::string part(query);
  std::transform(part.begin(), part.end(), part.begin(), lower);
  return select(names, [&](std::string_view text) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(),
                       [](char a, char b) { return lower(a) == b; }) != text.end() ||
           part.empty();
  });
}

}  // namespace prof::view
