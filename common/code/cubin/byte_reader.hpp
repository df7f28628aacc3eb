// Reads numbers and texts from bytes that are not trusted. After a read beyond the end all reads
// return 0 or an empty text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace prof::cubin {

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool is_good() const { return is_good_; }
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }

  void seek(std::size_t at) {
    if (at > bytes_.size())
      fail();
    else
      at_ = at;
  }

  template <class Number>
  Number fixed() {
    Number value{};
    if (left() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, &bytes_[at_], sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::uint64_t unsigned_leb() {
    unsigned shift = 0;
    return leb(shift);
  }

  std::int64_t signed_leb() {
    unsigned shift = 0;
    std::uint64_t value = leb(shift);
    if (shift < 64 && (value >> (shift - 1) & 1) != 0) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }

  // Reads a text that ends with a zero.
  std::string_view text() {
    if (left() == 0) {
      fail();
      return {};
    }
    const auto* start = reinterpret_cast<const char*>(&bytes_[at_]);
    const auto* end = static_cast<const char*>(std::memchr(start, 0, left()));
    if (end == nullptr) {
      fail();
      return {};
    }
    const auto size = static_cast<std::size_t>(end - start);
    at_ += size + 1;
    return {start, size};
  }

 private:
  void fail() {
    is_good_ = false;
    at_ = bytes_.size();
  }

  std::uint64_t leb(unsigned& shift) {
    std::uint64_t value = 0;
    for (bool has_more = true; has_more; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      has_more = (byte & 0x80) != 0;
    }
    return value;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool is_good_ = true;
};

}  // namespace prof::cubin
