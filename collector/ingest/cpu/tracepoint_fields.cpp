#include "collector/ingest/cpu/tracepoint_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace prof::ingest {

namespace {

// Returns the text between `key` and the next semicolon.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  const std::size_t begin = line.find(key);
  if (begin == std::string_view::npos) return std::nullopt;
  line.remove_prefix(begin + key.size());
  const std::size_t end = line.find(';');
  if (end == std::string_view::npos) return std::nullopt;
  return line.substr(0, end);
}

std::optional<std::uint32_t> number_of(std::string_view line, std::string_view key) {
  const auto text = value_of(line, key);
  std::uint32_t number = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

// Parses a declaration such as "char comm[16]" into the name and the kind of value.
bool parse_declaration(std::string_view text, bool is_signed, TracepointField& field) {
  const std::size_t bracket = text.rfind('[');
  const bool is_distant = text.starts_with("__data_loc ");
  const bool is_array = !is_distant && bracket != std::string_view::npos;
  if (is_array) text = text.substr(0, bracket);
  const std::size_t space = text.rfind(' ');
  if (space == std::string_view::npos) return false;
  field.name = text.substr(space + 1);
  const bool is_char = text.find("char") != std::string_view::npos;
  if (is_distant || is_array) {
    field.value = is_distant ? TracepointValue::kDistantText : TracepointValue::kText;
    return is_char;
  }
  field.value = is_signed ? TracepointValue::kSigned : TracepointValue::kUnsigned;
  return field.size == 1 || field.size == 2 || field.size == 4 || field.size == 8;
}

// Parses a line such as "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;".
std::optional<TracepointField> parse_field(std::string_view line) {
  const auto declaration = value_of(line, "field:");
  const auto offset = number_of(line, "offset:");
  const auto size = number_of(line, "size:");
  if (!declaration || !offset || !size) return std::nullopt;
  TracepointField field{.name = {}, .offset = *offset, .size = *size};
  const bool is_signed = number_of(line, "signed:").value_or(0) != 0;
  if (!parse_declaration(*declaration, is_signed, field)) return std::nullopt;
  if (field.name.starts_with("common_")) return std::nullopt;
  return field;
}

std::string_view text_at(std::span<const std::byte> record, std::size_t offset, std::size_t size) {
  if (offset > record.size() || size > record.size() - offset) return {};
  const auto* text = reinterpret_cast<const char*>(record.data() + offset);
  return {text, strnlen(text, size)};
}

}  // namespace

std::int64_t TracepointField::integer(std::span<const std::byte> record) const {
  std::uint64_t bits = 0;
  if (offset > record.size() || size > record.size() - offset || size > sizeof bits) return 0;
  std::memcpy(&bits, record.data() + offset, size);
  const unsigned unused = 64 - 8 * size;
  const auto shifted = static_cast<std::int64_t>(bits << unused);
  return value == TracepointValue::kSigned ? shifted >> unused : static_cast<std::int64_t>(bits);
}

std::string_view TracepointField::text(std::span<const std::byte> record) const {
  if (value != TracepointValue::kDistantText) return text_at(record, offset, size);
  const auto place = static_cast<std::uint64_t>(integer(record));  // offset, and length << 16
  return text_at(record, place & 0xffff, place >> 16 & 0xffff);
}

std::vector<TracepointField> tracepoint_fields(std::string_view format) {
  std::vector<TracepointField> fields;
  while (!format.empty()) {
    const std::size_t end = std::min(format.find('\n'), format.size());
    if (auto field = parse_field(format.substr(0, end))) fields.push_back(std::move(*field));
    format.remove_prefix(std::min(end + 1, format.size()));
  }
  return fields;
}

std::string_view print_format(std::string_view format) {
  constexpr std::string_view kBegin = "print fmt: ";
  const std::size_t begin = format.find(kBegin);
  if (begin == std::string_view::npos) return {};
  format.remove_prefix(begin + kBegin.size());
  return format.substr(0, format.find('\n'));
}

}  // namespace prof::ingest
