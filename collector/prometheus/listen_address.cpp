#include "collector/prometheus/listen_address.hpp"

#include <arpa/inet.h>

#include <charconv>

namespace prof::prometheus {

namespace {

bool is_ip_address(const std::string& text) {
  in6_addr address;
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

bool read_port(const std::string& text, std::uint16_t& port) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, port);
  return !text.empty() && parsed.ec == std::errc{} && parsed.ptr == end && port != 0;
}

}  // namespace

base::Result<ListenAddress> parse_listen_address(const std::string& text) {
  ListenAddress result;
  if (text.empty()) return result;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos) {
    result.host = text.substr(0, colon);
    if (result.host.size() > 2 && result.host.front() == '[' && result.host.back() == ']')
      result.host = result.host.substr(1, result.host.size() - 2);
    else if (result.host.find(':') != std::string::npos)
      // Without brackets the last part of an IPv6 address would be taken for the port.
      result.host.clear();
    if (result.host == "localhost") result.host = "127.0.0.1";
  }
  if (!is_ip_address(result.host) || !read_port(text.substr(colon + 1), result.port))
    return base::fail(text + ": write ADDRESS:PORT or PORT, such as 127.0.0.1:9755 or [::1]:9755");
  return result;
}

}  // namespace prof::prometheus
