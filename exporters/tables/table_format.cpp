#include "exporters/tables/table_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "exporters/tables/cell_text.hpp"
#include "exporters/tables/table_markup.hpp"

namespace prof::tables {

namespace {

struct FormatName {
  TableFormat format;
  const char* name;
  const char* extension;
};
constexpr FormatName kFormats[] = {
    // in the order of the values
    {TableFormat::kColumn, "column", "txt"},     {TableFormat::kTable, "table", "txt"},
    {TableFormat::kCsv, "csv", "csv"},           {TableFormat::kTsv, "tsv", "tsv"},
    {TableFormat::kJson, "json", "json"},        {TableFormat::kMarkdown, "markdown", "md"},
    {TableFormat::kHtmlTable, "htable", "html"}, {TableFormat::kHtmlDocument, "hdoc", "html"},
};

// Longest text in the formats for the eye, in characters.
constexpr std::size_t kTextLimit = 100;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

void limit(std::string& text, std::size_t most) {
  if (text.size() <= most || width(text) <= most) return;
  std::size_t characters = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (!continues_character(text[at]) && ++characters == most) break;
  text.resize(at);
  text += "…";
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// On one line, and without what a terminal would obey.
void make_visible(std::string& text) {
  if (std::none_of(text.begin(), text.end(), is_control)) return;
  std::string out;
  for (const char c : text) {
    if (!is_control(c))
      out += c;
    else if (c == '\n' || c == '\t')
      out += c == '\n' ? "\\n" : "\\t";
    else
      out += fmt::format("\\x{:02x}", c);
  }
  text = std::move(out);
}

// A table for the eye, line by line.
class Layout {
 public:
  explicit Layout(const Table& table) : table_(table) {
    for (const ColumnSpec& column : table.columns) widths_.push_back(width(column.header));
    for (const auto& row : table.rows)
      for (std::size_t i = 0; i < row.size(); ++i)
        widths_[i] = std::max(widths_[i], width(shown(row[i], table.columns[i])));
  }

  // What stands left of, between and right of the cells.
  struct Frame {
    std::string_view left;
    std::string_view between;
    std::string_view right;
  };

  void add_headers(TextSink& out, const Frame& frame) {
    add_line(out, frame, [&](std::size_t i) {
      const std::string& header = table_.columns[i].header;
      const std::size_t padding = widths_[i] - width(header);
      line_.append(padding / 2, ' ').append(header).append(padding - padding / 2, ' ');
    });
  }
  // `more`: how much longer than the cells.
  void add_rule(TextSink& out, const Frame& frame, std::size_t more) {
    add_line(out, frame, [&](std::size_t i) { line_.append(widths_[i] + more, '-'); });
  }
  void add_rows(TextSink& out, const Frame& frame) {
    for (const auto& row : table_.rows)
      add_line(out, frame, [&](std::size_t i) {
        const ColumnSpec& column = table_.columns[i];
        const std::string& text = shown(row[i], column);
        const std::size_t padding = widths_[i] - width(text);
        if (column.kind == CellKind::kText)
          line_.append(text).append(padding, ' ');
        else
          line_.append(padding, ' ').append(text);
      });
  }

 private:
  // Valid until the next call.
  const std::string& shown(const Cell& cell, const ColumnSpec& column) {
    shown_.clear();
    add_grouped_text(shown_, cell, column);
    if (column.kind == CellKind::kText) {
      make_visible(shown_);
      limit(shown_, kTextLimit);
    }
    return shown_;
  }

  template <class AddCell>
  void add_line(TextSink& out, const Frame& frame, AddCell add_cell) {
    line_ = frame.left;
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      if (i > 0) line_ += frame.between;
      add_cell(i);
    }
    line_ += frame.right;
    line_ += '\n';
    out += line_;
  }

  const Table& table_;
  std::vector<std::size_t> widths_;
  std::string shown_;
  std::string line_;
};

void add_columns(TextSink& out, const Table& table) {
  constexpr Layout::Frame kFrame = {" ", "  ", ""};
  Layout layout(table);
  layout.add_headers(out, kFrame);
  layout.add_rule(out, kFrame, 0);
  layout.add_rows(out, kFrame);
  out += "\n";
}

void add_table(TextSink& out, const Table& table) {
  constexpr Layout::Frame kFrame = {"| ", " | ", " |"};
  constexpr Layout::Frame kRule = {"+", "+", "+"};
  Layout layout(table);
  layout.add_rule(out, kRule, 2);
  layout.add_headers(out, kFrame);
  layout.add_rule(out, kRule, 2);
  layout.add_rows(out, kFrame);
  layout.add_rule(out, kRule, 2);
  out += "\n";
}

// Puts what was added from `first` on in quotes if it needs them.
void quote(std::string& line, std::size_t first, char separator) {
  const auto is_special = [&](char c) {
    return c == '"' || c == '\r' || c == '\n' || c == separator;
  };
  const std::string_view text = std::string_view(line).substr(first);
  if (std::none_of(text.begin(), text.end(), is_special)) return;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  line.replace(first, std::string::npos, quoted + '"');
}

void add_separated(TextSink& out, const Table& table, char separator) {
  std::string line;
  const auto add_line = [&](auto add_cell) {
    line.clear();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) line += separator;
      const std::size_t first = line.size();
      add_cell(i);
      quote(line, first, separator);
    }
    line += '\n';
    out += line;
  };
  add_line([&](std::size_t i) { line += table.columns[i].header; });
  for (const auto& row : table.rows)
    add_line([&](std::size_t i) { add_plain_text(line, row[i], table.columns[i]); });
  out += "\n";
}

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_value(const Cell& cell, const ColumnSpec& column) {
  const auto* real = std::get_if<double>(&cell);
  const bool is_infinite = real != nullptr && !std::isfinite(*real);
  if (is_infinite || std::holds_alternative<std::monostate>(cell)) return "null";
  std::string value;
  add_plain_text(value, cell, column);
  return column.kind == CellKind::kText ? json_text(value) : value;
}

void add_json(TextSink& out, const Table& table) {
  std::vector<std::string> keys;
  for (const ColumnSpec& column : table.columns) keys.push_back(json_text(column.header));
  out += "[";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += r == 0 ? "\n  {\n" : ",\n  {\n";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      out += fmt::format("    {}: {}{}\n", keys[i], json_value(table.rows[r][i], table.columns[i]),
                         i + 1 < table.columns.size() ? "," : "");
    }
    out += "  }";
  }
  out += "\n]\n\n";
}

}  // namespace

std::optional<TableFormat> table_format(std::string_view name) {
  for (const FormatName& format : kFormats)
    if (name == format.name) return format.format;
  return std::nullopt;
}

std::string table_format_names() {
  std::string names;
  for (const FormatName& format : kFormats)
    names += std::string(names.empty() ? "" : ", ") + format.name;
  return names;
}

std::string_view extension(TableFormat format) {
  return kFormats[static_cast<std::size_t>(format)].extension;
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string line;
  add_plain_text(line, Text(text), {"", CellKind::kText});
  make_visible(line);
  limit(line, most);
  return line;
}

bool is_for_eye(TableFormat format) {
  return format == TableFormat::kColumn || format == TableFormat::kTable;
}

std::string heading(std::string_view title, std::string_view name, std::string_view note) {
  return fmt::format("\n ** {} ({}):\n\n{}{}", title, name, note, note.empty() ? "" : "\n\n");
}

void write_table(const Table& table, TableFormat format, std::string_view title,
                 std::string_view name, std::string_view note, const Write& write) {
  TextSink out(write);
  if (is_for_eye(format)) out += heading(title, name, note);
  switch (format) {
    case TableFormat::kColumn:
      add_columns(out, table);
      break;
    case TableFormat::kTable:
      add_table(out, table);
      break;
    case TableFormat::kCsv:
      add_separated(out, table, ',');
      break;
    case TableFormat::kTsv:
      add_separated(out, table, '\t');
      break;
    case TableFormat::kJson:
      add_json(out, table);
      break;
    case TableFormat::kMarkdown:
      add_markdown(out, table, title, name, note);
      break;
    case TableFormat::kHtmlTable:
      add_html_table(out, table);
      break;
    case TableFormat::kHtmlDocument:
      add_html_document(out, table, title, name, note);
      break;
  }
  out.flush();
}

std::string format_table(const Table& table, TableFormat format, std::string_view title,
                         std::string_view name, std::string_view note) {
  std::string text;
  write_table(table, format, title, name, note, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace prof::tables
