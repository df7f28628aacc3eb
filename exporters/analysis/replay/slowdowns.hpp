// How much longer kernels take while communication kernels run beside them on their GPU: those
// occupy multiprocessors, also while they wait for other ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exporters/analysis/path/execution_model.hpp"

namespace prof::replay {

class Slowdowns {
 public:
  // `model` must outlive this object.
  explicit Slowdowns(const path::ExecutionModel& model);

  // True if no kernel is known to take longer.
  bool empty() const { return slowed_.empty(); }
  bool slows(std::uint32_t operation) const { return find(operation) != nullptr; }
  // Returns what an operation takes with no communication beside it, in ns.
  std::int64_t alone(std::uint32_t operation) const;
  // Returns what an operation takes that takes `cost` ns if what runs beside it stays as measured,
  // when communication runs beside it until `rest` ns after its start.
  std::int64_t duration(std::uint32_t operation, std::int64_t cost, std::int64_t rest) const;

 private:
  // A launch of a kernel that takes longer.
  struct Slowed {
    std::uint32_t operation;
    double factor;  // the duration beside communication / the duration alone
    double alone;   // ns
  };
  // The communication of a GPU.
  class Communication;

  void add_kernel(std::span<const std::uint32_t> launches, const Communication& communication);
  const Slowed* find(std::uint32_t operation) const;

  const path::ExecutionModel* model_;
  std::vector<Slowed> slowed_;  // sorted by operation
};

}  // namespace prof::replay
