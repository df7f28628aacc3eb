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

// SQL condition that selects API calls. A row of event class 67 is not a call: it only holds the
// call chain of another row's call.
inline report::RowCondition api_calls() { return {"eventClass", {67}, false}; }
inline report::RowCondition backtrace_rows() { return {"eventClass", {67}}; }
static_assert(static_cast<int>(report::EventClass::kCudaBacktrace) == 67);

// Adds a remark that a sum of API calls leaves out rows of event class 67, if the report has such
// rows. nsys counts them as calls.
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
  // Reads the API calls. The result is empty if the report does not have the table.
  static base::Result<ApiCalls> read(const report::ReportReader& reader);

  // Returns the call that launched an operation of this process, or null if the call was not
  // recorded. Correlation ids are unique only within a process.
  const ApiCall* launching(std::int64_t global_pid, std::int64_t correlation) const {
    std::size_t near = 0;
    return launching(global_pid, correlation, near);
  }
  // The same. It takes few steps if the call is close to that of the last call with `near`.
  const ApiCall* launching(std::int64_t global_pid, std::int64_t correlation,
                           std::size_t& near) const;

  const std::vector<ApiCall>& all() const { return calls_; }  // by process and correlation id

 private:
  std::vector<ApiCall> calls_;
};

// Returns the name as it is printed, without the four-digit version that CUPTI appends.
std::string_view without_version(std::string_view name);

}  // namespace prof::events
