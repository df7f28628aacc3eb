#include "exporters/arrow/table_columns.hpp"

#include <strings.h>

#include <algorithm>
#include <map>
#include <utility>

#include "common/report/schema.hpp"
#include "exporters/analysis/events/string_columns.hpp"
#include "exporters/arrow/column_types.hpp"

namespace prof::arrow {

using base::fail;

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r,";
  const std::size_t start = std::min(text.find_first_not_of(kBlank), text.size());
  text.remove_prefix(start);
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

std::string_view first_word(std::string_view text) {
  if (text.starts_with('"')) return text.substr(1, text.find('"', 1) - 1);
  return text.substr(0, text.find_first_of(" \t,"));
}

// The descriptions of a table and its columns, from the comments in the CREATE TABLE statement.
// Each column has a line, and the comment follows it.
struct Descriptions {
  std::string table;
  std::map<std::string, std::string, std::less<>> columns;
};

Descriptions parse_comments(std::string_view sql) {
  Descriptions found;
  while (!sql.empty()) {
    const std::size_t end = std::min(sql.find('\n'), sql.size());
    const std::string_view line = sql.substr(0, end);
    sql.remove_prefix(std::min(end + 1, sql.size()));
    const std::size_t dashes = line.find("--");
    if (dashes == std::string_view::npos) continue;
    const std::string_view comment = trimmed(line.substr(dashes + 2));
    const std::string_view code = trimmed(line.substr(0, dashes));
    if (!code.empty())
      found.columns.emplace(first_word(code), comment);
    else if (found.columns.empty())
      found.table += (found.table.empty() ? "" : " ") + std::string(comment);
  }
  return found;
}

class ColumnReader {
 public:
  ColumnReader(const report::ReportReader& reader, std::string_view table,
               std::span<const std::string> wide, bool names)
      : reader_(reader), wide_(wide), names_(names) {
    columns_.table = table;
  }

  base::Result<TableColumns> read() {
    read_product();
    read_comments();
    auto query = reader_.prepare(
        "SELECT name, type, \"notnull\", pk, hidden, dflt_value FROM pragma_table_xinfo(?, "
        "'main')");
    if (!query) return tl::make_unexpected(query.error());
    query->bind(1, columns_.table);
    auto row = query->step();
    for (; row && *row; row = query->step()) add(*query);
    if (!row) return tl::make_unexpected(row.error());
    if (names_) read_ids_as_names();
    if (key_columns_ != 1) columns_.rowid_column.reset();
    for (Column& column : columns_.schema.columns)
      if (key_columns_ == 1 && column.name == key_)
        column.metadata.emplace_back("schema_info", "INDEX,PK");
    return std::move(columns_);
  }

 private:
  void read_product() {
    if (!reader_.has_table("META_DATA_EXPORT")) return;
    auto query = reader_.prepare(
        "SELECT 1 FROM META_DATA_EXPORT WHERE name = 'EXPORT_PRODUCT_NAME' AND value = 'prof'");
    const auto row = query ? query->step() : false;
    is_of_prof_ = row && *row;
  }

  void read_comments() {
    auto query =
        reader_.prepare("SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?");
    if (query) query->bind(1, columns_.table);
    const auto row = query ? query->step() : false;
    // A view has the descriptions of the table that it stands for.
    descriptions_ =
        parse_comments(row && *row ? query->text(0) : report::table_sql(columns_.table));
    columns_.schema.metadata.emplace_back("table_name", columns_.table);
    if (!descriptions_.table.empty())
      columns_.schema.metadata.emplace_back("table_desc", descriptions_.table);
  }

  void add(const report::Statement& row) {
    const std::string column_name(row.text(0));
    Column column{column_name};
    const std::string declared(row.text(1));
    column.type = column_type(columns_.table, column.name, declared);
    // nsys does not record the return values of functions. prof does: numbers and addresses.
    if (columns_.table == "OSRT_API" && column.name == "returnValue" && is_of_prof_)
      column.type = ColumnType::kInt64;
    if (column.type <= ColumnType::kUint64 &&
        std::find(wide_.begin(), wide_.end(), column.name) != wide_.end())
      column.type = ColumnType::kInt64;
    column.nullable = row.integer(2) == 0;
    const auto description = descriptions_.columns.find(column.name);
    if (description != descriptions_.columns.end() && !description->second.empty())
      column.metadata.emplace_back("field_desc", description->second);
    if (row.integer(3) != 0) {
      ++key_columns_;
      key_ = column.name;
      if (strcasecmp(declared.c_str(), "INTEGER") == 0)
        columns_.rowid_column = columns_.stored_columns;
    }
    if (row.integer(4) != 0 || !row.is_null(5)) columns_.plain = false;
    columns_.schema.columns.push_back(std::move(column));
    columns_.stored_names.push_back(column_name);
    columns_.stored.push_back(columns_.stored_columns++);
  }

  // Renames columns of ids that are read as texts: "nameId" becomes "name", unless the table
  // already has such a column.
  void read_ids_as_names() {
    std::vector<Column>& all = columns_.schema.columns;
    const auto has = [&](std::string_view name) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Column& each) { return each.name == name; });
    };
    for (Column& column : all) {
      const std::string text(events::text_column(column.name));
      if (text.empty() || column.type > ColumnType::kUint64) continue;
      column.type = ColumnType::kName;
      if (column.name.ends_with("Id") && !has(text)) column.name = text;
    }
  }

  const report::ReportReader& reader_;
  std::span<const std::string> wide_;
  bool names_;
  TableColumns columns_;
  Descriptions descriptions_;
  bool is_of_prof_ = false;
  std::size_t key_columns_ = 0;
  std::string key_;
};

base::Status select(TableColumns& columns, std::span<const std::string> names) {
  if (names.empty()) return {};
  std::vector<Column> selected;
  std::vector<std::size_t> stored;
  const std::vector<Column>& all = columns.schema.columns;
  for (const std::string& name : names) {
    if (std::count(names.begin(), names.end(), name) > 1)
      return fail("column " + name + " is asked for twice");
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const Column& column) { return column.name == name; });
    if (at == all.end()) {
      std::string known;
      for (const Column& column : all) known += (known.empty() ? "" : ", ") + column.name;
      return fail(columns.table + " has no column " + name + " (it has: " + known + ")");
    }
    selected.push_back(*at);
    stored.push_back(columns.stored[static_cast<std::size_t>(at - all.begin())]);
  }
  columns.schema.columns = std::move(selected);
  columns.stored = std::move(stored);
  return {};
}

}  // namespace

base::Result<TableColumns> columns_of(const report::ReportReader& reader, std::string_view table,
                                      std::span<const std::string> selected,
                                      std::span<const std::string> wide, bool names) {
  auto columns = ColumnReader(reader, table, wide, names).read();
  if (!columns) return columns;
  if (const base::Status done = select(*columns, selected); !done)
    return tl::make_unexpected(done.error());
  return columns;
}

}  // namespace prof::arrow
