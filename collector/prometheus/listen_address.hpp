// Where the metrics endpoint listens.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"

namespace prof::prometheus {

struct ListenAddress {
  std::string host = "127.0.0.1";  // an IP address
  std::uint16_t port = 9755;
};

// Parses "ADDRESS:PORT", "[ADDRESS]:PORT", "PORT", or an empty text, which means the default.
// ADDRESS is an IP address or "localhost".
base::Result<ListenAddress> parse_listen_address(const std::string& text);

}  // namespace prof::prometheus
