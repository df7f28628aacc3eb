#include "common/report/statement.hpp"

namespace prof::report {

using base::fail;

base::Result<Statement> Statement::prepare(sqlite3* database, std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &handle, nullptr) !=
      SQLITE_OK)
    return fail(sqlite3_errmsg(database));
  return Statement(handle);
}

base::Result<Statement> Statement::prepare_only(sqlite3* database, std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const char* rest = sql.data();
  if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &handle, &rest) !=
      SQLITE_OK)
    return fail(sqlite3_errmsg(database));
  if (handle == nullptr) return fail("there is no statement in it");
  Statement only(handle);
  // White space and comments are no statement.
  const auto after = prepare(database, sql.substr(static_cast<std::size_t>(rest - sql.data())));
  if (!after || after->handle_) return fail("only one statement at a time can run");
  return only;
}

base::Result<bool> Statement::step() {
  switch (sqlite3_step(handle_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return fail(sqlite3_errmsg(sqlite3_db_handle(handle_.get())));
  }
}

base::Status Statement::run() {
  auto more = step();
  while (more && *more) more = step();
  if (!more) {
    reset();
    return tl::make_unexpected(more.error());
  }
  reset();
  return {};
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(handle_.get(), parameter, value);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
  sqlite3_bind_text64(handle_.get(), parameter, value.data(), value.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  sqlite3_bind_null(handle_.get(), parameter);
  return *this;
}

Statement& Statement::bind_column(int parameter, const Statement& row, int column) {
  sqlite3_bind_value(handle_.get(), parameter, sqlite3_column_value(row.handle_.get(), column));
  return *this;
}

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  return data == nullptr
             ? std::string_view()
             : std::string_view(
                   data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)));
}

base::Result<Database> open_for_change(const std::string& path) {
  sqlite3* handle = nullptr;
  const int opened =
      sqlite3_open_v2(sqlite_name(path).c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr);
  Database database(handle);
  if (opened != SQLITE_OK) return base::fail(path + ": " + sqlite3_errstr(opened));
  sqlite3_exec(handle, "PRAGMA journal_mode = MEMORY", nullptr, nullptr, nullptr);
  return database;
}

base::Status execute(sqlite3* database, const std::string& sql) {
  char* message = nullptr;
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return {};
  std::string text = message != nullptr ? message : sqlite3_errmsg(database);
  sqlite3_free(message);
  return fail(std::move(text));
}

namespace {

std::string enclosed(std::string_view text, char mark) {
  std::string result(1, mark);
  for (const char c : text) result.append(c == mark ? 2 : 1, c);
  return result + mark;
}

}  // namespace

std::string quoted(std::string_view name) { return enclosed(name, '"'); }
std::string quoted_text(std::string_view text) { return enclosed(text, '\''); }

}  // namespace prof::report
