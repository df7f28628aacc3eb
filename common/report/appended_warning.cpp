#include "common/report/appended_warning.hpp"

#include "common/base/log.hpp"
#include "common/report/statement.hpp"

namespace prof::report {

namespace {

// 1: time of the target; 3: analysis; 2: warning; 0: the process is not known.
constexpr char kInsert[] =
    "INSERT INTO DIAGNOSTIC_EVENT (timestamp, timestampType, source, severity, text, globalPid) "
    "VALUES (coalesce((SELECT max(duration) FROM ANALYSIS_DETAILS), 0), 1, 3, 2, ?, 0)";

base::Status append(const std::string& path, const std::string& text) {
  const auto database = open_for_change(path);
  if (!database) return tl::make_unexpected(database.error());
  auto insert = Statement::prepare(database->get(), kInsert);
  if (!insert) return tl::make_unexpected(insert.error());
  return insert->bind(1, text).run();
}

}  // namespace

void append_warning(const std::string& path, const std::string& text) {
  if (const base::Status added = append(path, text); !added)
    base::log_debug("{}: {}", path, added.error().message);
}

}  // namespace prof::report
