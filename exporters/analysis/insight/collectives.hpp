// Reads the operations of NCCL from the payloads of its NVTX ranges: what was sent, by which rank,
// and how long the GPU took for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::insight {

// One call by a process (a rank).
struct CollectiveCall {
  std::string name;  // "AllReduce"
  std::uint64_t communicator;
  std::int64_t bytes;  // size of the message, as NCCL gives it
  std::int64_t global_tid;
  std::int64_t start;  // ns, of the call
  std::int64_t end;
  std::int64_t gpu_time = 0;  // ns, of the call's kernels; 0: no kernel was recorded
  std::int64_t gpu_start = 0;
  std::int64_t gpu_end = 0;
  std::int64_t correlation = 0;  // of the launch of its first kernel; 0: unknown
  std::int64_t own_rank = -1;    // in the communicator; -1: unknown
  std::int64_t peer = -1;        // of a message: the other rank in the communicator; -1: unknown
};

struct Communicator {
  std::uint64_t id;
  std::int64_t ranks = 0;  // 0: unknown
};

struct Collectives {
  std::vector<CollectiveCall> calls;  // sorted by start
  std::vector<Communicator> communicators;

  static base::Result<Collectives> read(const report::ReportReader& reader);
  std::int64_t ranks_of(std::uint64_t communicator) const;
};

// One operation, executed by all ranks that the report has.
struct CollectiveInstance {
  std::int64_t ranks;     // number of ranks with a kernel
  std::int64_t shortest;  // ns, shortest kernel: it starts when all ranks have arrived
  std::int64_t longest;  // ns, longest kernel: its rank arrives first and also waits for the others
  std::int64_t last_rank;  // globalPid of the rank that arrived last, which has the shortest kernel
};

// All operations of one kind and size in one communicator.
struct CollectiveGroup {
  std::string name;
  std::uint64_t communicator;
  std::int64_t bytes;
  std::int64_t ranks;                         // number of ranks of the communicator; 0: unknown
  std::int64_t calls;                         // number of calls of all processes
  std::vector<CollectiveInstance> instances;  // the instances that have kernels

  // Returns the size as nccl-tests count it: for operations that gather or scatter, the bytes of
  // all ranks together.
  double moved_bytes() const;
  // Returns the bandwidth in GB/s for this time, as nccl-tests compute it, or nothing if the number
  // of ranks is unknown.
  std::optional<double> algorithm_bandwidth(double ns) const;
  std::optional<double> bus_bandwidth(double ns) const;
  // Returns the median of the shortest times, or 0 if there are none.
  double typical_time() const;
  // True if the shortest times are transfer times: the report has the kernels of all ranks, so the
  // last rank to arrive is among them. Otherwise a time includes waiting for ranks that arrive
  // late. It is false for messages between two ranks, because their two sides are separate groups.
  bool has_transfer_times() const;
  // Returns the time of a transfer in ns, or 0 if it is unknown. Without transfer times it is the
  // shortest time of all, which includes the least waiting.
  double transfer_time() const;
  // Returns the mean time that the first rank to arrive waits for the last one, in ns.
  double mean_wait() const;
};

std::vector<CollectiveGroup> groups_of(const Collectives& collectives);

}  // namespace prof::insight
