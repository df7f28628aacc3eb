// Makes the secret in the URL.
#pragma once

#include <string>

#include "common/base/result.hpp"

namespace prof::view {

// Returns 128 random bits in hexadecimal digits.
base::Result<std::string> make_token();

}  // namespace prof::view
