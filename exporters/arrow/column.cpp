#include "exporters/arrow/column.hpp"

#include <array>
#include <cstddef>

namespace prof::arrow {

namespace {

struct Named {
  const char* format;
  const char* name;
};
// The types in the order of ColumnType.
constexpr std::array<Named, 10> kTypes{{{"b", "bool"},
                                        {"i", "int32"},
                                        {"I", "uint32"},
                                        {"l", "int64"},
                                        {"L", "uint64"},
                                        {"f", "float"},
                                        {"g", "double"},
                                        {"U", "large_string"},
                                        {"Z", "large_binary"},
                                        {"i", "dictionary"}}};

}  // namespace

const char* format_of(ColumnType type) { return kTypes[static_cast<std::size_t>(type)].format; }
const char* name_of(ColumnType type) { return kTypes[static_cast<std::size_t>(type)].name; }

}  // namespace prof::arrow
