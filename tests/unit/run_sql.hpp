// Changes a report, or any SQLite file, as a test wants it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "common/report/statement.hpp"

namespace prof::test {

// Creates the file if it does not exist.
inline void run_sql(const std::string& path, const std::string& statements) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  const report::Database database(handle);
  const base::Status done = report::execute(handle, statements);
  ASSERT_TRUE(done) << done.error().message;
}

// Says when a report began, in ns since 1970, and how long it is.
inline void set_clock(const std::string& path, std::int64_t utc, std::int64_t duration) {
  run_sql(path, fmt::format("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs);"
                            "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({});"
                            "CREATE TABLE ANALYSIS_DETAILS (duration);"
                            "INSERT INTO ANALYSIS_DETAILS VALUES ({});",
                            utc, duration));
}

}  // namespace prof::test
