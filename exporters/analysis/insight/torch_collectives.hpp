// The collective operations of torch.distributed on CPUs (gloo), which ranges of PyTorch's
// functions tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::insight {

struct TorchCollective {
  std::int64_t start;  // ns
  std::int64_t end;
  std::int64_t global_tid;
  std::string operation;  // "all_reduce"
};

// Returns the calls in the order of the ranges. A report with CUDA calls has none: there the
// functions may only launch what waits for other ranks.
base::Result<std::vector<TorchCollective>> read_torch_collectives(
    const report::ReportReader& reader);

// True for an operation that ends on no rank before all have come.
bool waits_for_all(const TorchCollective& call);

}  // namespace prof::insight
