#include "common/http/request.hpp"

#include <algorithm>

#include "common/base/letters.hpp"

namespace prof::http {

namespace {

// True if `host` is this name, with any port or none.
bool is_host_with_port(std::string_view host, std::string_view name) {
  if (host.size() < name.size() || !is_equal_without_case(host.substr(0, name.size()), name))
    return false;
  host.remove_prefix(name.size());
  return host.empty() ||
         (host[0] == ':' && host.size() >= 2 && host.size() <= 6 &&
          std::all_of(host.begin() + 1, host.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

bool has_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  return colon != host.npos && host.find(']', colon) == host.npos;
}

}  // namespace

bool is_equal_without_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return base::to_lower(x) == base::to_lower(y); });
}

Field find(const RequestHead& head, std::string_view name) {
  Field field;
  for (const auto& [each, value] : head.fields)
    if (is_equal_without_case(each, name) && field.count++ == 0) field.value = value;
  return field;
}

bool is_allowed_host(std::string_view host, const std::vector<std::string>& allowed) {
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& each) {
    return has_port(each) ? is_equal_without_case(host, each) : is_host_with_port(host, each);
  });
}

}  // namespace prof::http
