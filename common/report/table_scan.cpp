#include "common/report/table_scan.hpp"

#include <algorithm>
#include <string>

namespace prof::report {

namespace {

constexpr const char* kFunction = "prof_visit";

// Registers an SQL function while the object exists.
class VisitFunction {
 public:
  VisitFunction(sqlite3* database, Scan& scan) : database_(database) {
    status_ = define(&scan, step, [](sqlite3_context*) {});
  }
  VisitFunction(const VisitFunction&) = delete;
  VisitFunction& operator=(const VisitFunction&) = delete;
  ~VisitFunction() { define(nullptr, nullptr, nullptr); }

  bool defined() const { return status_ == SQLITE_OK; }

 private:
  using Step = void (*)(sqlite3_context*, int, sqlite3_value**);
  int define(Scan* scan, Step on_row, void (*at_end)(sqlite3_context*)) {
    return sqlite3_create_function(database_, kFunction, -1, SQLITE_UTF8, scan, nullptr, on_row,
                                   at_end);
  }

  static void step(sqlite3_context* context, int columns, sqlite3_value** values) {
    auto* scan = static_cast<Scan*>(sqlite3_user_data(context));
    scan->visit(Row(columns, values, *scan), scan->visitor);
  }

  sqlite3* database_;
  int status_ = SQLITE_OK;
};

base::Status check_misplaced(const Scan& scan, const ReportReader& reader, std::string_view columns,
                             std::string_view source) {
  if (scan.misplaced < 0) return {};
  std::string query = "SELECT ";
  query.append(columns).append(" FROM ").append(source);
  const auto statement = reader.prepare(query);
  return fail_misplaced(reader, statement ? statement->column_name(scan.misplaced) : "?");
}

base::Status run_stored(StoredScan& rows, Scan& scan, const ReportReader& reader,
                        const TableQuery& query) {
  const int count = static_cast<int>(query.columns.size());
  while (const StoredValue* values = rows.next())
    scan.visit(Row(count, values, scan), scan.visitor);
  if (rows.is_damaged())
    return base::fail(reader.path() + " is damaged (table " + query.table +
                      "); copy it again or record it again");
  return check_misplaced(scan, reader, columns_sql(query.columns), source_sql(query));
}

}  // namespace

std::int64_t Row::queried_integer_or(int column, std::int64_t if_null) const {
  const int type = sqlite3_value_type(values_[column]);
  if (type == SQLITE_INTEGER) return sqlite3_value_int64(values_[column]);
  if (type == SQLITE_NULL) return if_null;
  if (type != SQLITE_FLOAT) scan_.misplaced = column;
  return sqlite3_value_int64(values_[column]);
}

// Converts the other types as SQLite does.
std::int64_t Row::other_integer(int column) const {
  const StoredValue& value = stored_[column];
  if (value.kind != StoredValue::Kind::kReal) {
    scan_.misplaced = column;
    return 0;
  }
  constexpr double kLimit = 9223372036854775808.0;
  const double real = value.real();
  if (real >= kLimit) return INT64_MAX;
  return real > -kLimit ? static_cast<std::int64_t>(real) : INT64_MIN;
}

std::string_view Row::text(int column) const {
  if (stored_ != nullptr) {
    const StoredValue& value = stored_[column];
    if (value.text != nullptr)
      return {value.text, std::min<std::size_t>(value.size, kMaxTextBytes)};
    if (value.kind == StoredValue::Kind::kNull) return {};
    return scan_.number = value.kind == StoredValue::Kind::kInteger ? std::to_string(value.integer)
                                                                    : std::to_string(value.real());
  }
  const auto* data = reinterpret_cast<const char*>(sqlite3_value_text(values_[column]));
  if (data == nullptr) return {};
  const auto bytes = static_cast<std::size_t>(sqlite3_value_bytes(values_[column]));
  return {data, std::min(bytes, kMaxTextBytes)};
}

base::Status run(Scan& scan, const ReportReader& reader, const TableQuery& query) {
  if (auto rows = StoredScan::open(reader, query)) return run_stored(*rows, scan, reader, query);
  return run_sql(scan, reader, columns_sql(query.columns), source_sql(query));
}

base::Status run_sql(Scan& scan, const ReportReader& reader, std::string_view columns,
                     std::string_view source) {
  const VisitFunction function(reader.database(), scan);
  if (!function.defined()) return tl::make_unexpected(reader.last_error());
  std::string query = std::string("SELECT ") + kFunction + '(';
  query.append(columns).append(") FROM ").append(source);
  auto statement = reader.prepare(query);
  if (!statement) return tl::make_unexpected(statement.error());
  if (!statement->run()) return tl::make_unexpected(reader.last_error());
  return check_misplaced(scan, reader, columns, source);
}

base::Status fail_misplaced(const ReportReader& reader, const std::string& column) {
  return base::fail(reader.path() + " is damaged: text in place of a number (" + column +
                    "); export it again or record it again");
}

}  // namespace prof::report
