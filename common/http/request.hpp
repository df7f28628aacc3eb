// The head of a request, and the rule about its host.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prof::http {

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

// As it came over the wire.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  Fields fields;
};

struct Field {
  int count = 0;
  std::string_view value;  // of the first
};
Field find(const RequestHead& head, std::string_view name);

bool is_equal_without_case(std::string_view a, std::string_view b);

// True if a field Host names one of `allowed`: HOST:PORT, or HOST with any port or none. A server
// on a loopback address needs this against DNS rebinding: the page of another name that leads to
// the address is another site.
bool is_allowed_host(std::string_view host, const std::vector<std::string>& allowed);

}  // namespace prof::http
