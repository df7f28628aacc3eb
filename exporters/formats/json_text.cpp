#include "exporters/formats/json_text.hpp"

#include <nlohmann/json.hpp>

namespace prof::formats {

std::string quoted_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace prof::formats
