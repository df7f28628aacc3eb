#include "exporters/ranks/numbers.hpp"

#include <bit>

namespace prof::ranks {

namespace {

constexpr std::size_t kWideBytes = 16;

}  // namespace

void append_number(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

void append_text(std::string& bytes, std::string_view text) {
  append_number(bytes, text.size());
  bytes += text;
}

void append_wide(std::string& bytes, Wide number) {
  for (std::size_t i = 0; i < kWideBytes; ++i) {
    bytes += static_cast<char>(static_cast<std::uint8_t>(number));
    number >>= 8;
  }
}

std::size_t size_of_number(std::uint64_t number) {
  constexpr std::size_t kBitsOfByte = 7;
  return (static_cast<std::size_t>(std::bit_width(number | 1)) + kBitsOfByte - 1) / kBitsOfByte;
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

base::Result<Wide> read_wide(std::string_view& bytes) {
  if (bytes.size() < kWideBytes) return base::fail("a total of the partial result is cut off");
  __extension__ unsigned __int128 number = 0;
  for (std::size_t i = kWideBytes; i-- > 0;)
    number = number << 8 | static_cast<std::uint8_t>(bytes[i]);
  bytes.remove_prefix(kWideBytes);
  return static_cast<Wide>(number);
}

}  // namespace prof::ranks
