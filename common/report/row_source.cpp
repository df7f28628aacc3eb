#include "common/report/row_source.hpp"

#include <cstring>
#include <string>

#include "common/base/utf8.hpp"

namespace prof::report {

namespace {

struct Table {
  sqlite3_vtab base;  // first: SQLite hands out pointers to it
  const RowBatch* current;
};

struct Cursor {
  sqlite3_vtab_cursor base;  // first: the same
  const RowBatch* batch;
  std::size_t row;
};

int connect(sqlite3* database, void* current, int, const char* const*, sqlite3_vtab** out, char**) {
  std::string declaration = "CREATE TABLE x(";
  for (int i = 0; i < kRowSourceColumns; ++i)
    declaration += (i == 0 ? "c" : ",c") + std::to_string(i);
  declaration += ')';
  const int status = sqlite3_declare_vtab(database, declaration.c_str());
  if (status == SQLITE_OK) *out = &(new Table{{}, static_cast<const RowBatch*>(current)})->base;
  return status;
}

int disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<Table*>(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab*, sqlite3_index_info*) { return SQLITE_OK; }

int open(sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
  *out = &(new Cursor{{}, reinterpret_cast<Table*>(table)->current, 0})->base;
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
  reinterpret_cast<Cursor*>(cursor)->row = 0;
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++reinterpret_cast<Cursor*>(cursor)->row;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* cursor) {
  const auto* c = reinterpret_cast<Cursor*>(cursor);
  return c->row >= c->batch->count;
}

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

void result_text(sqlite3_context* context, std::string_view text) {
  if (base::is_utf8(text))
    return sqlite3_result_text64(context, text.data() == nullptr ? "" : text.data(), text.size(),
                                 SQLITE_STATIC, SQLITE_UTF8);
  const std::string escaped = base::escaped_to_utf8(text);
  sqlite3_result_text64(context, escaped.data(), escaped.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
  const auto* c = reinterpret_cast<Cursor*>(cursor);
  const RowBatch& batch = *c->batch;
  if (static_cast<std::size_t>(index) >= batch.columns.size()) return SQLITE_OK;
  const std::byte* row = batch.rows + c->row * batch.stride;
  if (batch.nulls >= 0 && ((load<std::uint32_t>(row + batch.nulls) >> index) & 1U) != 0)
    return SQLITE_OK;  // without a result the value is NULL
  const Column& column = batch.columns[static_cast<std::size_t>(index)];
  const std::byte* at = row + column.at;
  switch (column.type) {
    case ColumnType::kInt64:
      sqlite3_result_int64(context, load<std::int64_t>(at));
      break;
    case ColumnType::kInt32:
      sqlite3_result_int64(context, load<std::int32_t>(at));
      break;
    case ColumnType::kUint32:
      sqlite3_result_int64(context, load<std::uint32_t>(at));
      break;
    case ColumnType::kDouble:
      sqlite3_result_double(context, load<double>(at));
      break;
    case ColumnType::kText: {
      const auto text = load<std::string_view>(at);
      result_text(context, text);
      break;
    }
    case ColumnType::kBlob: {
      const auto blob = load<Blob>(at);
      sqlite3_result_blob64(context, blob.bytes.data(), blob.bytes.size(), SQLITE_STATIC);
      break;
    }
    case ColumnType::kFlag:
      sqlite3_result_int64(context, load<bool>(at) ? 1 : 0);
      break;
    case ColumnType::kConstant:
      sqlite3_result_int64(context, column.at);
      break;
    case ColumnType::kNull:
      break;
  }
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(reinterpret_cast<Cursor*>(cursor)->row);
  return SQLITE_OK;
}

constexpr sqlite3_module make_module() {
  sqlite3_module module{};
  // A module without xCreate makes the table available without CREATE VIRTUAL TABLE and keeps it
  // out of the file's schema.
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = rowid;
  return module;
}
constexpr sqlite3_module kModule = make_module();

}  // namespace

base::Status register_row_source(sqlite3* database, const RowBatch* current) {
  if (sqlite3_create_module(database, kRowSourceTable, &kModule, const_cast<RowBatch*>(current)) !=
      SQLITE_OK)
    return base::fail(sqlite3_errmsg(database));
  return {};
}

std::string insert_from_rows(const char* table, std::size_t columns) {
  std::string sql = std::string("INSERT INTO ") + table + " SELECT ";
  for (std::size_t i = 0; i < columns; ++i) sql += (i == 0 ? "c" : ",c") + std::to_string(i);
  return sql + " FROM " + kRowSourceTable;
}

}  // namespace prof::report
