// What GPUs could compute and move at most, from their own facts: multiprocessors, clock, compute
// capability.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/operators/work/element_types.hpp"

namespace prof::operators {

struct GpuFacts {
  std::string name;
  int major = 0;  // compute capability
  int minor = 0;
  std::int64_t multiprocessors = 0;
  double clock = 0;             // Hz, the highest
  double memory_bandwidth = 0;  // bytes/s
};

// Rates are in a second, dense (without sparsity), with sums in FP32. 0: unknown, or not possible.
struct Peaks {
  std::array<double, static_cast<std::size_t>(ElementType::kCount)> matrix = {};
  double vector_fp32 = 0;
  double vector_fp64 = 0;
  double memory = 0;  // bytes

  // The rate of matrix products. A type without tensor cores has the rate of ordinary cores.
  double matrix_of(ElementType type) const { return matrix[static_cast<std::size_t>(type)]; }
  // The rate of other operations. Types below FP32 are computed in FP32.
  double vector_of(ElementType type) const {
    return type == ElementType::kFp64 ? vector_fp64 : vector_fp32;
  }
};

// Returns the peaks of a GPU. The clock of the GPU's data sheet counts where it is known and
// differs from the highest one, as for H100.
Peaks peaks_of(const GpuFacts& gpu);

// True if a GPU of this compute capability multiplies this type with tensor cores.
bool has_tensor_cores(const GpuFacts& gpu, ElementType type);

class GpuTable {
 public:
  static base::Result<GpuTable> read(const report::ReportReader& reader);

  // Returns the GPU that a process knows by this number, or null.
  const GpuFacts* of(std::int64_t pid, std::int64_t device) const;

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, GpuFacts> by_process_;
  std::map<std::int64_t, GpuFacts> by_number_;
};

}  // namespace prof::operators
