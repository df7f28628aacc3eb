// Writes messages of protocol buffers: the parts that profile.proto needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace prof::formats {

class Message {
 public:
  // Appends an integer. 0 is omitted, as in proto3.
  Message& integer(int field, std::int64_t value) {
    if (value == 0) return *this;
    tag(field, kVarint);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    tag(field, kLength);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return bytes(field, value.bytes_); }
  // Appends an element of a packed list. The list is written as a field of bytes.
  Message& element(std::uint64_t value) {
    varint(value);
    return *this;
  }

  // Appends the fields of another message.
  void append(const Message& fields) { bytes_ += fields.bytes_; }

  const std::string& text() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  static constexpr int kVarint = 0;
  static constexpr int kLength = 2;

  void tag(int field, int type) {
    varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace prof::formats
