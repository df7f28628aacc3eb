// Transfers of collective operations that take longer than others of their kind: the network is
// slow there, for no rank came late to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exporters/ranks/collectives/job_collectives.hpp"

namespace prof::ranks {

// Operations with one name and size in one communicator. Times in ns.
struct SlowTransfers {
  std::size_t communicator;             // index into JobCollectives::communicators
  std::vector<std::size_t> operations;  // indexes of its collectives
  std::vector<double> excess;           // of each of them, beyond the usual time
  std::string name;                     // "AllReduce"
  std::int64_t bytes = -1;              // -1: unknown
  double transfer = 0;                  // the median
  double usual = 0;                     // the median of the others
  bool is_always_slow = false;          // slower than in other communicators; else at times

  double all_excess() const;
};

// Returns the operations that are slower than the same ones in other communicators of as many ranks
// and nodes, and those that are slow at times. The first ones are not at times.
std::vector<SlowTransfers> slow_transfers(const JobCollectives& job);

}  // namespace prof::ranks
