// Sums of rows by a key, with the SQL that gives each number.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/facts/statistics.hpp"

namespace prof::facts {

// What the key of a sum stands for.
enum class KeyOf : std::uint8_t {
  kNothing,  // there is no key: all rows are one sum
  kString,   // StringIds.id
  kCopy,     // ENUM_CUDA_MEMCPY_OPER.id
  kThread,   // globalTid
  kDevice,   // globalPid + deviceId; only deviceId if the report has no processes
};

struct Sum {
  Topic topic;
  const char* quantity;
  const char* unit;
  Basis basis;
  KeyOf key_of;
  const char* kind;   // of the names, as mark_name() takes it
  std::string from;   // a table, or a query in parentheses
  std::string key;    // an expression with whole numbers
  std::string value;  // an aggregate
  std::string where;  // a condition; empty: all rows
};

inline constexpr std::size_t kMaxNames = 5;  // of a sum

// Returns the largest sums, and that of all others.
base::Result<std::vector<Statistic>> run_sum(const report::ReportReader& reader, const Sum& sum);

// Returns the sums that the report has tables for.
base::Result<std::vector<Sum>> sums_of(const report::ReportReader& reader, Topic topic);

}  // namespace prof::facts
