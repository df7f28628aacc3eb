// Changes a report, or any SQLite file, as a test wants it.
#pragma once

#include <gtest/gtest.h>

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

}  // namespace prof::test
