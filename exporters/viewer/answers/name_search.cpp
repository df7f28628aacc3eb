#include "exporters/viewer/answers/name_search.hpp"

#include <algorithm>
#include <string>

#include "common/base/letters.hpp"
#include "common/base/text/regular_expression.hpp"

namespace prof::view {

namespace {

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
    const std::string pattern(query.substr(1, query.size() - 2));
    const auto expression = base::RegularExpression::make(pattern);
    if (!expression)
      return fault(
          400, "not a regular expression that can be searched for: " + expression.error().message);
    return select(names,
                  [&](std::string_view text) { return expression->matches(std::string(text)); });
  }
  const std::string part = base::to_lower(query);
  return select(names, [&](std::string_view text) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(),
                       [](char a, char b) { return base::to_lower(a) == b; }) != text.end() ||
           part.empty();
  });
}

}  // namespace prof::view
