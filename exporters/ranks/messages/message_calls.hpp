// The messages that the ranks of a report exchanged with single other ranks: with MPI, and with
// NCCL by the payloads of its ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/ranks/collectives/collective_calls.hpp"
#include "exporters/ranks/report_ranks.hpp"

namespace prof::ranks {

// One side of a message. Times in ns, of the report.
struct Message {
  std::int64_t start;        // from when this side was ready: of the call, or of NCCL's kernel
  std::int64_t wait_start;   // of the call or kernel in which this side waited until it was done
  std::int64_t end;          // when it was done
  std::int64_t bytes;        // -1: unknown. What is received can be smaller than its buffer
  std::int64_t start_tid;    // global id of the thread that made it ready
  std::int64_t wait_tid;     // global id of the thread that waited
  bool is_end_known = true;  // false: no call that waited for it was recorded
};

// The messages to or from one other rank with one tag, in the order in which MPI delivers them.
struct MessageSequence {
  std::string communicator;  // with the job and the attempt; equal for all ranks
  CallSource source = CallSource::kMpi;
  bool is_send = false;
  std::int64_t own = 0;   // the rank in the communicator
  std::int64_t peer = 0;  // the other rank in the communicator
  std::int64_t tag = 0;
  std::size_t place = 0;  // of the rank among those given to read_messages()
  std::int64_t global_pid = 0;
  // Messages may be missing in between: the process received some in this communicator whose sender
  // is unknown, because the program used wildcards.
  bool has_gaps = false;
  std::vector<Message> messages;  // by start
};

struct ReportMessages {
  std::vector<MessageSequence> sequences;
  std::size_t unknown = 0;  // messages whose ranks are unknown
};

// `ranks` is what ranks_of() returned, `nccl` are the messages of read_collective_calls().
base::Result<ReportMessages> read_messages(const report::ReportReader& reader,
                                           const std::vector<ReportRank>& ranks,
                                           const std::vector<insight::CollectiveCall>& nccl);

}  // namespace prof::ranks
