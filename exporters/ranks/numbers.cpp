#include "exporters/ranks/numbers.hpp"

namespace prof::ranks {

void append_number(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

void append_text(std::string& bytes, std::string_view text) {
  append_number(bytes, text.size());
  bytes += text;
}

base::Result<std::uint64_t> read_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  return base::fail("a number of the partial result is damaged");
}

base::Result<std::string> read_text(std::string_view& bytes) {
  const auto size = read_number(bytes);
  if (!size) return tl::make_unexpected(size.error());
  if (*size > bytes.size()) return base::fail("a text of the partial result is cut off");
  std::string text(bytes.substr(0, *size));
  bytes.remove_prefix(*size);
  return text;
}

}  // namespace prof::ranks
