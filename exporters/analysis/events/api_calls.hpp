// CUDA API calls of a report, found by correlation id.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_classes.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

inline constexpr const char* kApiTable = "CUPTI_ACTIVITY_KIND_RUNTIME";

// Selects API calls. Rows of event class 67 only have the call chain of another row's call.
inline constexpr const char* kWhereApiCall = "WHERE eventClass <> 67";
inline constexpr const char* kWhereBacktrace = "WHERE eventClass = 67";
static_assert(static_cast<int>(report::EventClass::kCudaBacktrace) == 67);

// Remarks that a sum of API calls leaves such rows out, if the report has them. nsys counts both.
void remark_on_backtrace_rows(const report::ReportReader& reader);

struct ApiCall {
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  std::int64_t correlation;
  std::int64_t name;  // in StringIds
};

class ApiCalls {
 public:
  // Empty if the report does not have the table.
  static base::Result<ApiCalls> read(const report::ReportReader& reader);

  // The call that launched an operation of this process, or null if it was not recorded. Different
  // processes use the same ids.
  const ApiCall* launching(std::int64_t global_pid, std::int64_t correlation) const;

  const std::vector<ApiCall>& all() const { return calls_; }  // by process and correlation id

 private:
  std::vector<ApiCall> calls_;
};

// The name as it is printed, without the four-digit version that CUPTI appends.
std::string_view without_version(std::string_view name);

}  // namespace prof::events
