// The fields of a tracepoint's records, as tracefs describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prof::ingest {

enum class TracepointValue {
  kSigned,
  kUnsigned,
  kText,         // an array of char, padded with zeros
  kDistantText,  // a text at the end of the record; the field has its offset and its length
};

struct TracepointField {
  std::string name;
  std::uint32_t offset = 0;  // in a record, bytes
  std::uint32_t size = 0;    // bytes
  TracepointValue value = TracepointValue::kUnsigned;

  bool is_text() const {
    return value == TracepointValue::kText || value == TracepointValue::kDistantText;
  }
  // Return the value in a record; 0 or an empty text if the record is too short.
  std::int64_t integer(std::span<const std::byte> record) const;
  std::string_view text(std::span<const std::byte> record) const;
};

// Parses the description of a tracepoint. Leaves out the fields that all tracepoints have, and
// fields of types that have no value in a report, such as arrays of numbers.
std::vector<TracepointField> tracepoint_fields(std::string_view format);

// Returns how ftrace prints an event: the text after "print fmt: ".
std::string_view print_format(std::string_view format);

}  // namespace prof::ingest
