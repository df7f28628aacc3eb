#include "collector/report/table_scan.hpp"

#include <string>

namespace prof::report {

namespace {

constexpr const char* kFunction = "prof_visit";

// While it lives, SQL knows the function.
class VisitFunction {
 public:
  VisitFunction(sqlite3* database, VisitRow visit, void* visitor) : database_(database) {
    status_ = define(visitor, visit, [](sqlite3_context*) {});
  }
  VisitFunction(const VisitFunction&) = delete;
  VisitFunction& operator=(const VisitFunction&) = delete;
  ~VisitFunction() { define(nullptr, nullptr, nullptr); }

  bool defined() const { return status_ == SQLITE_OK; }

 private:
  int define(void* visitor, VisitRow visit, void (*end)(sqlite3_context*)) {
    return sqlite3_create_function(database_, kFunction, -1, SQLITE_UTF8, visitor, nullptr, visit,
                                   end);
  }

  sqlite3* database_;
  int status_ = SQLITE_OK;
};

}  // namespace

std::string_view Row::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_value_text(values_[column]));
  return data == nullptr
             ? std::string_view()
             : std::string_view(data,
                                static_cast<std::size_t>(sqlite3_value_bytes(values_[column])));
}

base::Status scan(const ReportReader& reader, std::string_view columns, std::string_view source,
                  VisitRow visit, void* visitor) {
  const VisitFunction function(reader.database(), visit, visitor);
  if (!function.defined()) return base::fail(sqlite3_errmsg(reader.database()));
  std::string query = std::string("SELECT ") + kFunction + '(';
  query.append(columns).append(") FROM ").append(source);
  auto statement = reader.prepare(query);
  if (!statement) return tl::make_unexpected(statement.error());
  return statement->run();
}

}  // namespace prof::report
