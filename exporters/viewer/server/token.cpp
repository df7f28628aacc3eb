#include "exporters/viewer/server/token.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>

namespace prof::view {

base::Result<std::string> make_token() {
  std::array<unsigned char, 16> bytes{};
  // getrandom() returns either all of so few bytes, or none.
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return base::fail_errno("cannot make a secret for the URL", errno);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

}  // namespace prof::view
