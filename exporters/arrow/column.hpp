// Describes the columns of an Arrow table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace prof::arrow {

enum class ColumnType : std::uint8_t {
  kBool,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat,
  kDouble,
  kText,
  kBytes,
  kName  // an id of StringIds that is read as its text: a dictionary of texts
};

// Returns the type in Arrow's C data interface. Texts have offsets of 64 bits.
const char* format_of(ColumnType type);
// Returns a name such as "uint32".
const char* name_of(ColumnType type);

// Returns the bytes of an integer of this type, 8 or 4, or 0 for other types.
constexpr std::size_t integer_width(ColumnType type) {
  return type == ColumnType::kInt64 || type == ColumnType::kUint64   ? 8
         : type == ColumnType::kInt32 || type == ColumnType::kUint32 ? 4
                                                                     : 0;
}

using Metadata = std::vector<std::pair<std::string, std::string>>;

struct Column {
  std::string name;
  ColumnType type = ColumnType::kInt64;
  bool nullable = true;
  Metadata metadata = {};
};

struct Schema {
  std::vector<Column> columns;
  Metadata metadata = {};
};

}  // namespace prof::arrow
