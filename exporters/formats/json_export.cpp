#include "exporters/formats/json_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "common/base/text/json.hpp"
#include "common/base/utf8.hpp"
#include "exporters/analysis/events/selection/export_selection.hpp"
#include "exporters/analysis/events/string_columns.hpp"

namespace prof::formats {

using base::Status;
using report::Statement;

namespace {

constexpr std::size_t kFlushBytes = 64 * 1024;

// The length above which a text is written only beside the first occurrence of its id, and in
// parts. No name is this long, but each row of a damaged report can refer to a text of gigabytes.
constexpr std::size_t kLongText = 64 * 1024;

// Removes and returns the part of a text that is printed next. Characters are not split.
std::string_view take_part(std::string_view& text) {
  std::size_t length = std::min(text.size(), kLongText);
  const auto continues = [&](std::size_t at) {
    return at < text.size() && base::continues_character(text[at]);
  };
  for (int i = 0; i < 3 && continues(length); ++i) --length;
  const std::string_view part = text.substr(0, length);
  text.remove_prefix(length);
  return part;
}

class Exporter {
 public:
  Exporter(const report::ReportReader& reader, const Output& output)
      : reader_(reader), output_(output) {}

  Status run(const std::vector<std::string>& tables, JsonTexts texts) {
    if (texts == JsonTexts::kBesideIds)
      if (Status loaded = load_strings(); !loaded) return loaded;
    buffer_ = fmt::format(R"({{"format":"prof-json","version":1,"report":{},"tables":{{)",
                          base::quoted_json(reader_.path()));
    bool first = true;
    for (const std::string& table : tables) {
      buffer_ += fmt::format("{}\n{}:[", first ? "" : ",", base::quoted_json(table));
      first = false;
      if (Status written = write_table(table); !written) return written;
      buffer_ += "]";
    }
    buffer_ += "\n}}\n";
    return output_(buffer_);
  }

 private:
  Status load_strings() {
    auto query = reader_.prepare("SELECT id, value FROM StringIds");
    if (!query) return tl::make_unexpected(query.error());
    auto row = query->step();
    for (; row && *row; row = query->step()) {
      const std::string_view text = query->text(1);
      if (text.size() > kLongText)
        long_strings_.insert(query->integer(0));
      else
        strings_[query->integer(0)] = base::quoted_json(text);
    }
    if (!row) return tl::make_unexpected(row.error());
    return {};
  }

  Status write_table(const std::string& table) {
    std::string columns;
    for (const std::string& column : events::columns_of(reader_, table))
      columns += (columns.empty() ? "" : ",") + report::quoted(column);
    auto query = reader_.prepare(fmt::format("SELECT {} FROM {}", columns, report::quoted(table)));
    if (!query) return tl::make_unexpected(query.error());
    std::vector<std::string> names;  // quoted, with a colon
    std::vector<std::string_view> texts;
    for (int i = 0; i < query->columns(); ++i) {
      names.push_back(base::quoted_json(query->column_name(i)) + ':');
      texts.push_back(events::text_column(query->column_name(i)));
    }
    auto row = query->step();
    for (bool first = true; row && *row; row = query->step(), first = false) {
      buffer_ += first ? "\n{" : ",\n{";
      write_row(*query, names, texts);
      buffer_ += '}';
      flush();
      if (!written_) return written_;
    }
    if (!row) return tl::make_unexpected(row.error());
    return {};
  }

  // Writes a row without its NULLs. Reports have many NULLs, and readers treat an absent member the
  // same.
  void write_row(const Statement& row, const std::vector<std::string>& names,
                 const std::vector<std::string_view>& texts) {
    bool first = true;
    for (int i = 0; i < row.columns(); ++i) {
      if (row.is_null(i)) continue;
      const auto column = static_cast<std::size_t>(i);
      if (!first) buffer_ += ',';
      first = false;
      buffer_ += names[column];
      write_value(row, i);
      if (texts[column].empty()) continue;
      write_text(texts[column], row.integer(i));
    }
  }

  void write_text(std::string_view name, std::int64_t id) {
    if (const auto text = strings_.find(id); text != strings_.end())
      buffer_ += fmt::format(",\"{}\":{}", name, text->second);
    if (long_strings_.erase(id) == 0) return;
    auto query = reader_.prepare("SELECT value FROM StringIds WHERE id = ?");
    if (query) query->bind(1, id);
    if (const auto row = query ? query->step() : false; !row || !*row) return;
    buffer_ += fmt::format(",\"{}\":", name);
    write_quoted(query->text(0));
  }

  void write_quoted(std::string_view text) {
    buffer_ += '"';
    while (!text.empty()) {
      base::append_json(buffer_, take_part(text));
      flush();
    }
    buffer_ += '"';
  }

  // Writes the buffer if it is full.
  void flush() {
    if (buffer_.size() < kFlushBytes) return;
    if (written_) written_ = output_(buffer_);
    buffer_.clear();
  }

  void write_value(const Statement& row, int column) {
    switch (row.type(column)) {
      case SQLITE_INTEGER:
        buffer_ += std::to_string(row.integer(column));
        break;
      case SQLITE_FLOAT:
        buffer_ += base::json_number(row.real(column));
        break;
      default:
        write_quoted(row.text(column));
        break;
    }
  }

  const report::ReportReader& reader_;
  const Output& output_;
  std::unordered_map<std::int64_t, std::string> strings_;  // quoted
  std::unordered_set<std::int64_t> long_strings_;  // ids of long texts that were not written yet
  std::string buffer_;
  Status written_;
};

}  // namespace

Status export_json(const report::ReportReader& reader, const std::vector<std::string>& tables,
                   const Output& output, JsonTexts texts) {
  std::vector<std::string> selected;
  for (const std::string& table : tables) {
    if (!reader.has_table(table)) return base::fail(reader.path() + " has no table " + table);
    selected.push_back(table);
  }
  if (tables.empty())
    for (std::string& table : reader.tables())
      if (!table.starts_with("ENUM_")) selected.push_back(std::move(table));
  return Exporter(reader, output).run(selected, texts);
}

}  // namespace prof::formats
