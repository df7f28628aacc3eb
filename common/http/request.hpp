// The head of a request, and the check of its field Host.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prof::http {

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

// The head as it was received.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  Fields fields;
};

struct Field {
  int count = 0;
  std::string_view value;  // the value of the first such field
};
Field find(const RequestHead& head, std::string_view name);

bool is_equal_without_case(std::string_view a, std::string_view b);

// True if the field Host has one of `allowed`: HOST:PORT, or HOST with any port or none. A server
// on a loopback address needs this check against DNS rebinding, where the page of another site
// reaches the server through a name that resolves to its address.
bool is_allowed_host(std::string_view host, const std::vector<std::string>& allowed);

}  // namespace prof::http
