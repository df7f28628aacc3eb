#include "exporters/analysis/query/sandbox.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace prof::query {

namespace {

// Functions that compute a value from their arguments and take time in proportion to them. Sorted.
// Left out are those that load code or open files, that read other memory, and that say how SQLite
// was built.
constexpr std::string_view kFunctions[] = {"->",
                                           "->>",
                                           "abs",
                                           "acos",
                                           "acosh",
                                           "asin",
                                           "asinh",
                                           "atan",
                                           "atan2",
                                           "atanh",
                                           "avg",
                                           "ceil",
                                           "ceiling",
                                           "char",
                                           "coalesce",
                                           "concat",
                                           "concat_ws",
                                           "cos",
                                           "cosh",
                                           "count",
                                           "cume_dist",
                                           "date",
                                           "datetime",
                                           "degrees",
                                           "dense_rank",
                                           "exp",
                                           "first_value",
                                           "floor",
                                           "format",
                                           "glob",
                                           "group_concat",
                                           "hex",
                                           "ifnull",
                                           "iif",
                                           "instr",
                                           "json",
                                           "json_array",
                                           "json_array_length",
                                           "json_each",
                                           "json_extract",
                                           "json_group_array",
                                           "json_group_object",
                                           "json_object",
                                           "json_tree",
                                           "json_type",
                                           "json_valid",
                                           "julianday",
                                           "lag",
                                           "last_value",
                                           "lead",
                                           "length",
                                           "like",
                                           "likelihood",
                                           "likely",
                                           "ln",
                                           "log",
                                           "log10",
                                           "log2",
                                           "lower",
                                           "ltrim",
                                           "max",
                                           "median",
                                           "min",
                                           "mod",
                                           "nth_value",
                                           "ntile",
                                           "nullif",
                                           "octet_length",
                                           "percent_rank",
                                           "pi",
                                           "pow",
                                           "power",
                                           "printf",
                                           "quote",
                                           "radians",
                                           "random",
                                           "rank",
                                           "replace",
                                           "round",
                                           "row_number",
                                           "rtrim",
                                           "sign",
                                           "sin",
                                           "sinh",
                                           "sqrt",
                                           "strftime",
                                           "string_agg",
                                           "substr",
                                           "substring",
                                           "sum",
                                           "tan",
                                           "tanh",
                                           "time",
                                           "timediff",
                                           "total",
                                           "trim",
                                           "trunc",
                                           "typeof",
                                           "unhex",
                                           "unicode",
                                           "unixepoch",
                                           "unlikely",
                                           "upper",
                                           "zeroblob"};

constexpr bool is_sorted() { return std::is_sorted(std::begin(kFunctions), std::end(kFunctions)); }
static_assert(is_sorted());

struct Limit {
  int which;
  int most;
};
constexpr Limit kLimits[] = {{SQLITE_LIMIT_SQL_LENGTH, kMaxSqlBytes},
                             {SQLITE_LIMIT_COLUMN, 100},
                             {SQLITE_LIMIT_EXPR_DEPTH, 100},
                             {SQLITE_LIMIT_COMPOUND_SELECT, 50},
                             {SQLITE_LIMIT_VDBE_OP, 100'000},
                             {SQLITE_LIMIT_FUNCTION_ARG, 50},
                             {SQLITE_LIMIT_ATTACHED, 0},
                             {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
                             {SQLITE_LIMIT_VARIABLE_NUMBER, 100},
                             {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                             {SQLITE_LIMIT_WORKER_THREADS, 0}};

bool is_pragma_allowed(std::string_view name) {
  return name == "table_info" || name == "table_list";
}

}  // namespace

int Sandbox::authorize(void* sandbox, int action, const char* first, const char* second,
                       const char*, const char*) {
  const std::string_view name = first != nullptr ? first : "";
  const std::string_view part = second != nullptr ? second : "";
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      static_cast<Sandbox*>(sandbox)->columns_.emplace(name, part);
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return std::binary_search(std::begin(kFunctions), std::end(kFunctions), part) ? SQLITE_OK
                                                                                    : SQLITE_DENY;
    case SQLITE_PRAGMA:
      return is_pragma_allowed(name) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

int Sandbox::is_over(void* sandbox) {
  const auto* self = static_cast<Sandbox*>(sandbox);
  return self->stop_.stop_requested() || std::chrono::steady_clock::now() > self->end_ ? 1 : 0;
}

Sandbox::Sandbox(const report::ReportReader& reader, Bounds bounds)
    : database_(reader.database()),
      end_(std::chrono::steady_clock::now() + bounds.time),
      stop_(std::move(bounds.stop)) {
  // A step can be a call of a function that takes long, so the time is looked at often.
  constexpr int kSteps = 100;
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // A name in double quotes that is not a column is an error, not a text.
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  for (const Limit& limit : kLimits) sqlite3_limit(database_, limit.which, limit.most);
  sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, bounds.value_bytes);
  sqlite3_set_authorizer(database_, authorize, this);
  sqlite3_progress_handler(database_, kSteps, is_over, this);
}

Sandbox::~Sandbox() {
  sqlite3_set_authorizer(database_, nullptr, nullptr);
  sqlite3_progress_handler(database_, 0, nullptr, nullptr);
}

void limit_memory(std::int64_t bytes) { sqlite3_hard_heap_limit64(bytes); }

}  // namespace prof::query
