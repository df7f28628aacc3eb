// Base64 (RFC 4648), as pictures travel in JSON.
#pragma once

#include <string>
#include <string_view>

namespace prof::mcp {

std::string base64_of(std::string_view bytes);

}  // namespace prof::mcp
