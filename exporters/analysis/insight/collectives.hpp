// Operations of NCCL, by the payloads of its NVTX ranges: what was sent, by whom, and how long the
// GPU took for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::insight {

// One call of a process (a rank).
struct CollectiveCall {
  std::string name;  // "AllReduce"
  std::uint64_t communicator;
  std::int64_t bytes;  // of the message, as NCCL gives it
  std::int64_t global_tid;
  std::int64_t start;  // of the call, ns
  std::int64_t end;
  std::int64_t gpu_time = 0;  // of its kernels, ns; 0: no kernel was recorded
  std::int64_t gpu_start = 0;
};

struct Communicator {
  std::uint64_t id;
  std::int64_t ranks = 0;  // 0: not known
};

struct Collectives {
  std::vector<CollectiveCall> calls;  // by start
  std::vector<Communicator> communicators;

  static base::Result<Collectives> read(const report::ReportReader& reader);
  std::int64_t ranks_of(std::uint64_t communicator) const;
};

// The same operation on all ranks that the report has.
struct CollectiveInstance {
  std::int64_t ranks;      // with a kernel
  std::int64_t shortest;   // ns: all ranks had arrived
  std::int64_t longest;    // ns: the first rank to arrive also waits for the others
  std::int64_t last_rank;  // globalPid of the rank that arrived last: its kernel is the shortest
};

// All operations of one kind and size in one communicator.
struct CollectiveGroup {
  std::string name;
  std::uint64_t communicator;
  std::int64_t bytes;
  std::int64_t ranks;                         // of the communicator; 0: not known
  std::int64_t calls;                         // of all processes
  std::vector<CollectiveInstance> instances;  // those with kernels

  // What nccl-tests count as the size: what all ranks have together, for operations that gather or
  // scatter.
  double moved_bytes() const;
  // GB/s for this time, as nccl-tests compute it. Nothing if the number of ranks is not known.
  std::optional<double> algorithm_bandwidth(double ns) const;
  std::optional<double> bus_bandwidth(double ns) const;
  // The median of the shortest times; 0: there is none.
  double typical_time() const;
  // Whether the shortest times are those of transfers: the report has the kernels of all ranks, so
  // the last rank to arrive is among them. Otherwise a time includes waiting for ranks that arrive
  // late. Both sides of a message between two ranks are separate groups, so this is false.
  bool has_transfer_times() const;
  // The time of a transfer, ns; 0: not known. Without transfer times it is the shortest time of
  // all, in which the waiting was the least.
  double transfer_time() const;
  // Mean time that the first rank to arrive waits for the last one.
  double mean_wait() const;
};

std::vector<CollectiveGroup> groups_of(const Collectives& collectives);

}  // namespace prof::insight
