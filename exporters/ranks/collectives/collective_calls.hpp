// The collective operations that the ranks of a report took part in: calls of NCCL by the payloads
// of its ranges, without these by the names of its kernels, and calls of MPI or of
// torch.distributed on CPUs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/collectives.hpp"
#include "exporters/ranks/report_ranks.hpp"

namespace prof::ranks {

// kMpi: calls on a CPU that return when the operation is over, also of torch.distributed.
enum class CallSource : std::uint8_t { kPayloads, kKernels, kMpi };

// A rank's part in one operation. Times in ns, of the report.
struct RankCall {
  std::int64_t call_start;  // on the CPU: of the call of NCCL or MPI, or of the kernel's launch
  std::int64_t call_end;
  std::int64_t start;  // of the kernel; of MPI's call
  std::int64_t end;
  std::int64_t bytes;          // -1: unknown
  std::int64_t correlation;    // of the kernel's launch; 0: unknown
  std::int64_t global_tid;     // of the calling thread; 0: unknown
  std::uint64_t letter;        // stands for the operation and its size
  std::uint32_t operation;     // index into CallSequence::operations
  bool ends_together = false;  // it ends on all ranks at nearly the same time

  std::int64_t duration() const { return end - start; }
};

// The calls of a process in one communicator, in their order.
struct CallSequence {
  std::string communicator;  // with the job; equal for all ranks of the communicator
  CallSource source = CallSource::kKernels;
  std::size_t place = 0;  // of the rank among those given to read_collective_calls()
  std::int64_t global_pid = 0;
  std::int64_t ranks = 0;               // of the communicator; 0: unknown
  bool has_all_ranks = false;           // of MPI's job; MPI's other communicators can be mistaken
  std::vector<std::string> operations;  // "AllReduce"
  std::vector<RankCall> calls;
};

struct ReportCalls {
  std::vector<CallSequence> sequences;
  std::size_t without_kernel = 0;  // calls of NCCL whose kernels were not recorded
  std::vector<insight::CollectiveCall> nccl_messages;  // with payloads
};

// What to read of a call besides of what its kernel says.
enum class CallDetails : bool {
  kKernels,   // without payloads, call_start, call_end and global_tid are 0
  kLaunches,  // reads the API calls
};

// `ranks` is what ranks_of() returned. Messages between two ranks are in no sequence.
base::Result<ReportCalls> read_collective_calls(const report::ReportReader& reader,
                                                const std::vector<ReportRank>& ranks,
                                                CallDetails details);

// Returns a number that stands for a text in all reports.
std::uint64_t letter_of(std::string_view text);

}  // namespace prof::ranks
