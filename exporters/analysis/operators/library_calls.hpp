// Calls of cuBLAS, cuDNN and other libraries, by thread and time.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::operators {

class LibraryCalls {
 public:
  static constexpr std::int64_t kNone = -1;

  static base::Result<LibraryCalls> read(const report::ReportReader& reader);

  bool empty() const { return calls_.empty(); }
  // Returns the name (StringIds.id) of the outermost call that a thread is in, or kNone.
  std::int64_t around(std::int64_t global_tid, std::int64_t time) const;

 private:
  struct Call {
    std::int64_t global_tid;
    std::int64_t start;
    std::int64_t end;
    std::int64_t name;
  };
  std::vector<Call> calls_;  // by thread and start, without calls inside of others
};

}  // namespace prof::operators
