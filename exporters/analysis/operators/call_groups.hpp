// Groups the calls of operators, and adds up their times and their work.
#pragma once

#include <cstdint>
#include <vector>

#include "exporters/analysis/operators/group_by.hpp"
#include "exporters/analysis/operators/operator_model.hpp"

namespace prof::operators {

// Sums of what is known. Times in ns.
struct WorkSum {
  std::int64_t matrix_flops = 0;
  std::int64_t vector_flops = 0;
  std::int64_t bytes = 0;
  std::int64_t gpu_time = 0;        // of all calls
  std::int64_t computing_time = 0;  // of calls whose operations are known
  std::int64_t moving_time = 0;     // of calls whose bytes are known
  std::int64_t limited_time = 0;    // of calls whose limit is known
  double least_compute = 0;         // the least time of those
  double least_memory = 0;
  double least = 0;

  void add(const OperatorModel& model, const OperatorCall& call);
  void add(const WorkSum& other);
  bool has_operations() const { return computing_time > 0; }
  bool has_bytes() const { return moving_time > 0; }
  bool has_limit() const { return limited_time > 0; }
};

struct CallGroup {
  const Operator* example;          // what all operators of the group have in common, it has
  std::vector<std::int64_t> times;  // of the calls, ns
  std::int64_t operations = 0;      // of the GPU
  std::int64_t chain = 0;           // of the first call that has one
  const OperatorCall* longest;
  WorkSum work;
};

// Returns the groups, the one with the most time first.
std::vector<CallGroup> call_groups(const OperatorModel& model, GroupBy by);

}  // namespace prof::operators
