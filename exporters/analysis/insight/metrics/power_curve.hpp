// The power of a GPU over time, from NVML's samples.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::insight {

struct Energy {
  std::int64_t time = 0;  // ns in which the power is known
  double joules = 0;

  // Only if time is not 0.
  double watts() const { return joules / static_cast<double>(time) * 1e9; }
  Energy& operator+=(const Energy& other) {
    time += other.time;
    joules += other.joules;
    return *this;
  }
};

class PowerCurve {
 public:
  // From here to the end the power is the same.
  struct Piece {
    Interval time;
    double watts;
  };

  // Sorted and disjoint.
  explicit PowerCurve(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}
  Energy over(const Interval& time) const;
  Energy over(const Intervals& times) const;
  Energy all() const;

 private:
  std::vector<Piece> pieces_;
};

struct GpuPower {
  std::optional<std::int64_t> gpu;  // TARGET_INFO_GPU.id, if the report says which one it is
  std::vector<double> watts;        // the samples of the power; may be empty
  std::optional<Energy> metered;  // by the GPU's energy counter, from its first to its last sample
  PowerCurve curve;               // by the energy counter, if it was sampled as often as the power
};

// One for each GPU whose power or energy was sampled, by number.
base::Result<std::vector<GpuPower>> read_gpu_power(const report::ReportReader& reader);

}  // namespace prof::insight
