#include "exporters/formats/rows/row_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/base/text/json.hpp"
#include "common/base/text/printable.hpp"
#include "exporters/analysis/events/selection/export_selection.hpp"

namespace prof::formats {

namespace {

using report::Statement;

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// Returns a quoted string with the escapes of C, as protocol buffers use them. Printable UTF-8 is
// kept.
std::string quoted_c(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto [bytes, is_printable] = base::first_character(text);
    if (bytes == "\n")
      out += "\\n";
    else if (bytes == "\"" || bytes == "\\")
      (out += '\\') += bytes;
    else if (is_printable)
      out += bytes;
    else
      for (const char byte : bytes)
        out += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
    text.remove_prefix(bytes.size());
  }
  return out += '"';
}

using Quote = std::string (*)(std::string_view text);

void append_value(std::string& line, const Statement& row, int column, Quote quote,
                  const char* no_number) {
  switch (row.type(column)) {
    case SQLITE_INTEGER:
      line += std::to_string(row.integer(column));
      break;
    case SQLITE_FLOAT:
      line += std::isfinite(row.real(column)) ? fmt::format("{}", row.real(column)) : no_number;
      break;
    case SQLITE_BLOB:
      line += quote(hexadecimal(row.text(column)));
      break;
    default:
      line += quote(row.text(column));
      break;
  }
}

// Calls `visit(row)` for each row of the table.
template <class Visit>
base::Status for_each_row_of(const report::ReportReader& reader, const std::string& table,
                             const std::vector<std::string>& columns, Visit visit) {
  std::string list;
  for (const std::string& column : columns)
    list += (list.empty() ? "" : ",") + report::quoted(column);
  auto query = reader.prepare(fmt::format("SELECT {} FROM {}", list, report::quoted(table)));
  if (!query) return tl::make_unexpected(query.error());
  auto row = query->step();
  for (; row && *row; row = query->step()) visit(std::as_const(*query));
  if (!row) return tl::make_unexpected(reader.last_error());
  return {};
}

constexpr int kTableKey = -1;

// Returns the keys of a JSON object sorted by name, as numbers of columns and kTableKey.
std::vector<int> sorted_keys(const std::vector<std::string>& columns) {
  std::vector<int> keys(columns.size() + 1);
  std::iota(keys.begin(), keys.end(), kTableKey);
  const auto name = [&](int key) -> std::string {
    return key == kTableKey ? "table" : columns[static_cast<std::size_t>(key)];
  };
  std::sort(keys.begin(), keys.end(), [&](int a, int b) { return name(a) < name(b); });
  return keys;
}

base::Status write_json_lines(const report::ReportReader& reader, const std::string& table,
                              Writer& writer) {
  const std::vector<std::string> columns = events::columns_of(reader, table);
  const std::vector<int> keys = sorted_keys(columns);
  std::vector<std::string> starts;  // "key": of each column
  for (const std::string& column : columns) starts.push_back(base::quoted_json(column) + ':');
  const std::string own = "\"table\":" + base::quoted_json(table);
  std::string line;
  return for_each_row_of(reader, table, columns, [&](const Statement& row) {
    line = "{";
    for (const int key : keys) {
      if (key != kTableKey && row.is_null(key)) continue;
      if (line.size() > 1) line += ',';
      if (key == kTableKey) {
        line += own;
        continue;
      }
      line += starts[static_cast<std::size_t>(key)];
      append_value(line, row, key, base::quoted_json, "null");
    }
    writer << (line += "}\n");
  });
}

base::Status write_text(const report::ReportReader& reader, const std::string& table,
                        Writer& writer) {
  const std::vector<std::string> columns = events::columns_of(reader, table);
  std::string line;
  return for_each_row_of(reader, table, columns, [&](const Statement& row) {
    line = table + " {";
    for (int i = 0; i < row.columns(); ++i) {
      if (row.is_null(i)) continue;
      ((line += ' ') += columns[static_cast<std::size_t>(i)]) += ": ";
      append_value(line, row, i, quoted_c, "nan");
    }
    writer << (line += " }\n");
  });
}

}  // namespace

base::Status export_json_lines(const report::ReportReader& reader,
                               const std::vector<std::string>& tables, const Output& output) {
  Writer writer(output);
  for (const std::string& table : tables) {
    if (base::Status written = write_json_lines(reader, table, writer); !written) return written;
    if (!writer.status()) break;
  }
  return writer.finish();
}

base::Status export_text(const report::ReportReader& reader, std::vector<std::string> tables,
                         const Output& output) {
  const auto is_event = [](const std::string& table) {
    return table != "StringIds" && table != "ProcessStreams" && table != "ThreadNames";
  };
  std::stable_partition(tables.begin(), tables.end(), is_event);
  Writer writer(output);
  for (const std::string& table : tables) {
    if (base::Status written = write_text(reader, table, writer); !written) return written;
    if (!writer.status()) break;
  }
  return writer.finish();
}

}  // namespace prof::formats
