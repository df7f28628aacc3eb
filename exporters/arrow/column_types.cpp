#include "exporters/arrow/column_types.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>

#include "exporters/analysis/tables/pattern.hpp"

namespace prof::arrow {

namespace {

struct EmbeddedFile {
  const char* name;
  const char* text;
};
constexpr EmbeddedFile kFiles[] = {
#include "column_types.inc"
};

using Key = std::pair<std::string_view, std::string_view>;  // table, column
using Types = std::map<Key, ColumnType>;

// The part before the separator, which is removed from `text` with it.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

ColumnType type_of(char format) {
  for (int type = 0; type <= static_cast<int>(ColumnType::kBytes); ++type)
    if (format_of(static_cast<ColumnType>(type))[0] == format) return static_cast<ColumnType>(type);
  return ColumnType::kInt64;
}

// Each line: a table, a tab, and NAME:FORMAT for each of its columns.
Types parse_types() {
  Types types;
  for (std::string_view text = kFiles[0].text; !text.empty();) {
    std::string_view line = take(text, '\n');
    const std::string_view table = take(line, '\t');
    while (!line.empty()) {
      std::string_view field = take(line, ' ');
      const std::string_view column = take(field, ':');
      types.emplace(Key{table, column}, type_of(field.empty() ? '?' : field[0]));
    }
  }
  return types;
}

// All tables of call chains have the same columns.
std::string_view known_table(std::string_view table) {
  return table.ends_with("_CALLCHAINS") ? "OSRT_CALLCHAINS" : table;
}

// As SQLite determines the affinity of a column (datatype3.html, 3.1).
ColumnType plain_type(std::string_view declared) {
  std::string upper(declared);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (tables::contains(upper, "INT") || tables::contains(upper, "BOOL")) return ColumnType::kInt64;
  for (const char* text : {"CHAR", "CLOB", "TEXT"})
    if (tables::contains(upper, text)) return ColumnType::kText;
  if (tables::contains(upper, "BLOB")) return ColumnType::kBytes;
  for (const char* real : {"REAL", "FLOA", "DOUB"})
    if (tables::contains(upper, real)) return ColumnType::kDouble;
  return upper.empty() ? ColumnType::kText : ColumnType::kDouble;
}

bool is_integer(ColumnType type) { return type <= ColumnType::kUint64; }
bool is_real(ColumnType type) { return type == ColumnType::kFloat || type == ColumnType::kDouble; }

}  // namespace

ColumnType column_type(std::string_view table, std::string_view column, std::string_view declared) {
  static const Types types = parse_types();
  const ColumnType plain = plain_type(declared);
  const auto known = types.find(Key{known_table(table), column});
  const bool has_known_kind = known != types.end() &&
                              is_integer(known->second) == is_integer(plain) &&
                              is_real(known->second) == is_real(plain);
  if (has_known_kind || (known != types.end() && declared.empty())) return known->second;
  // Ids of processes and threads are serialized with the highest bits.
  if (plain == ColumnType::kInt64 && (column.starts_with("global") || column == "endGlobalTid"))
    return ColumnType::kUint64;
  return plain;
}

}  // namespace prof::arrow
