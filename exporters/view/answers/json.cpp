#include "exporters/view/answers/json.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace prof::view {

Json& Json::value(double number) {
  if (!std::isfinite(number)) return null();
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return raw({text.data(), static_cast<std::size_t>(end - text.data())});
}

}  // namespace prof::view
