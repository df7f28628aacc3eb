// Decides which requests are answered. Every user of the machine and every page in the user's
// browser can reach a server on a loopback address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/request.hpp"

namespace prof::view {

struct Address {
  std::uint16_t port = 0;
  std::string token;                       // the first segment of each path
  std::vector<std::string> allowed_hosts;  // HOST:PORT, or HOST with any port
};

struct Decision {
  int status = 200;         // status of a refusal: 403, 404 or 405
  std::string_view reason;  // reason of a refusal; empty for a request that does not know the token
  std::string_view path;    // after the token, starting with "/"
  std::string_view query;   // after the "?"

  bool allowed() const { return status == 200; }
};

// Decides about a request. The texts of the decision point into the target. A client without the
// token learns nothing: it gets 404 and no reason, whatever else is wrong.
Decision decide(const http::RequestHead& head, const Address& address);

// Returns the fields of every answer, besides those about its content.
const http::Fields& security_fields();

}  // namespace prof::view
