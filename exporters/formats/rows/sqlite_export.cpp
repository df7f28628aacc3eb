#include "exporters/formats/rows/sqlite_export.hpp"

#include <fmt/format.h>

#include "common/report/schema.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/selection/export_selection.hpp"

namespace prof::formats {

namespace {

using base::Status;

constexpr const char* kParameterTable = "META_DATA_EXPORT";

// The new file.
class Copy {
 public:
  Copy(const report::ReportReader& reader, const std::string& path, const std::string& shown_path)
      : reader_(reader), shown_path_(shown_path) {
    sqlite3* handle = nullptr;
    const int status = sqlite3_open(report::sqlite_name(path).c_str(), &handle);
    database_.reset(handle);
    if (status != SQLITE_OK) opened_ = failure();
    // The file is made without a journal: nobody reads it before it is complete, and it is removed
    // if the export fails.
    if (opened_)
      opened_ =
          run("PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
              "BEGIN");
  }

  const Status& opened() const { return opened_; }
  Status run(const std::string& sql) const {
    if (Status done = report::execute(database_.get(), sql); !done) return failure();
    return {};
  }

  // Copies the table's rows. Returns false if it has none.
  base::Result<bool> copy(const std::string& table) {
    const std::vector<std::string> columns = events::columns_of(reader_, table);
    std::string list;
    std::string places;
    for (const std::string& column : columns) {
      list += (list.empty() ? "" : ",") + report::quoted(column);
      places += places.empty() ? "?" : ",?";
    }
    auto query = reader_.prepare(fmt::format("SELECT {} FROM {}", list, report::quoted(table)));
    if (!query) return tl::make_unexpected(query.error());
    auto row = query->step();
    if (!row) return tl::make_unexpected(reader_.last_error());
    if (!*row) return false;
    if (Status created = create(table); !created) return tl::make_unexpected(created.error());
    auto insert = report::Statement::prepare(
        database_.get(), fmt::format("INSERT INTO {} VALUES ({})", report::quoted(table), places));
    if (!insert) return tl::make_unexpected(failure().error());
    for (; row && *row; row = query->step()) {
      for (int i = 0; i < query->columns(); ++i) insert->bind_column(i + 1, *query, i);
      if (!insert->run()) return tl::make_unexpected(failure().error());
    }
    if (!row) return tl::make_unexpected(reader_.last_error());
    return true;
  }

  // Creates the table with the definition in the report. A view of the report becomes a table.
  Status create(const std::string& table) const {
    std::string sql;
    const Status read = events::for_each_row(
        reader_,
        fmt::format("SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = {}",
                    report::quoted_text(table)),
        [&](const report::Statement& row) { sql = row.text(0); });
    if (!read) return read;
    if (sql.empty()) sql = report::table_sql(table);
    // In a damaged report this text may have several statements. Only the first one runs.
    auto statement = report::Statement::prepare(database_.get(), sql);
    if (!statement || !statement->run()) return failure();
    return {};
  }

  Status set_parameter(const std::string& name, const std::string& value) const {
    return run(fmt::format("UPDATE {} SET value = {} WHERE name = {}", kParameterTable,
                           report::quoted_text(value), report::quoted_text(name)));
  }

 private:
  Status failure() const {
    return base::fail("cannot write " + shown_path_ + ": " + sqlite3_errmsg(database_.get()));
  }

  const report::ReportReader& reader_;
  const std::string& shown_path_;
  report::Database database_;
  Status opened_;
};

Status create_empty_tables(const report::ReportReader& reader, const Copy& copy,
                           const std::vector<std::string>& copied) {
  for (const std::string& table : copied)
    if (Status created = copy.create(table); !created) return created;
  for (const std::string_view table : report::table_names())
    if (!reader.has_table(table))
      if (Status created = copy.run(std::string(report::table_sql(table))); !created)
        return created;
  return {};
}

}  // namespace

Status export_sqlite(const report::ReportReader& reader, const SqliteExport& what,
                     const std::string& path) {
  Copy copy(reader, path, what.shown_path);
  if (!copy.opened()) return copy.opened();
  std::vector<std::string> empty;
  bool has_parameters = false;
  for (const std::string& table : what.tables) {
    const auto has_rows = copy.copy(table);
    if (!has_rows) return tl::make_unexpected(has_rows.error());
    if (!*has_rows) empty.push_back(table);
    has_parameters = has_parameters || (*has_rows && table == kParameterTable);
  }
  for (const auto& [name, value] : what.parameters)
    if (has_parameters)
      if (Status set = copy.set_parameter(name, value); !set) return set;
  if (!what.lazy)
    if (Status created = create_empty_tables(reader, copy, empty); !created) return created;
  return copy.run("COMMIT");
}

}  // namespace prof::formats
