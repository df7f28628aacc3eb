#include "exporters/viewer/answers/json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace prof::view {

Json& Json::value(double number) {
  if (!std::isfinite(number)) return null();
  // std::to_chars needs tables that are 50 kB of a package.
  return raw(fmt::format("{}", number));
}

}  // namespace prof::view
