#include "collector/ingest/chains/python_lines.hpp"

#include <cstddef>

#include "common/wire/python_frames/python_layout.hpp"

namespace prof::ingest {

namespace {

constexpr unsigned kInstructionBytes = 2;

// Reads the bytes of a table. After the end it reads zeros.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ >= bytes_.size(); }
  unsigned byte() { return at_end() ? 0 : std::to_integer<unsigned>(bytes_[at_++]); }
  int signed_byte() { return static_cast<std::int8_t>(byte()); }
  void skip(std::size_t count) { at_ += count; }

  // Six bits per byte, low bits first. Bit 6 is set if more bytes follow.
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 60; shift += 6) {
      const unsigned part = byte();
      value |= static_cast<std::uint64_t>(part & 0x3f) << shift;
      if ((part & 0x40) == 0) break;
    }
    return value;
  }
  // The sign is in bit 0.
  std::int64_t signed_varint() {
    const std::uint64_t value = varint();
    const auto size = static_cast<std::int64_t>(value >> 1);
    return (value & 1) != 0 ? -size : size;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

// The table has pairs: bytes of code, then the change of line that comes after them.
std::int64_t from_lnotab(const PythonLines& lines, std::uint32_t offset) {
  Reader table(lines.table);
  std::int64_t line = lines.first_line;
  std::uint64_t at = 0;
  while (!table.at_end()) {
    at += table.byte();
    if (at > offset) break;
    line += table.signed_byte();
  }
  return line;
}

// The table has pairs: bytes of code, and the change to their line from the line before.
std::int64_t from_line_table(const PythonLines& lines, std::uint32_t offset) {
  constexpr int kNoLine = -128;
  Reader table(lines.table);
  std::int64_t line = lines.first_line;
  std::uint64_t end = 0;
  while (!table.at_end()) {
    end += table.byte();
    const int change = table.signed_byte();
    if (change != kNoLine) line += change;
    if (offset < end) return line;
  }
  return lines.first_line;
}

// Returns the change of line in an entry of a location table. Skips the rest of the entry.
std::int64_t line_change(Reader& table, unsigned form) {
  constexpr unsigned kOneLine = 10;  // 10, 11, 12: 0, 1 or 2 lines further
  constexpr unsigned kNoColumns = 13;
  constexpr unsigned kLong = 14;
  if (form < kOneLine) {  // same line; columns in one byte
    table.skip(1);
    return 0;
  }
  if (form < kNoColumns) {
    table.skip(2);
    return form - kOneLine;
  }
  if (form > kLong) return 0;  // the entry has no location
  const std::int64_t change = table.signed_varint();
  if (form == kLong)
    for (int i = 0; i < 3; ++i) table.varint();  // last line, columns
  return change;
}

std::int64_t from_locations(const PythonLines& lines, std::uint32_t offset) {
  constexpr unsigned kEntryMark = 0x80;
  Reader table(lines.table);
  std::int64_t line = lines.first_line;
  std::uint64_t end = 0;
  while (!table.at_end()) {
    const unsigned head = table.byte();
    if ((head & kEntryMark) == 0) break;
    end += std::uint64_t{(head & 7) + 1} * kInstructionBytes;
    line += line_change(table, head >> 3 & 15);
    if (offset < end) return line;
  }
  return lines.first_line;
}

}  // namespace

std::int64_t PythonLines::line_at(std::uint32_t offset) const {
  if (version < python_frames::python_version(3, 10)) return from_lnotab(*this, offset);
  if (version < python_frames::python_version(3, 11)) return from_line_table(*this, offset);
  return from_locations(*this, offset);
}

}  // namespace prof::ingest
