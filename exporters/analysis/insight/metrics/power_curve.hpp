// Computes the power of a GPU over time, from NVML's samples.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::insight {

struct Energy {
  std::int64_t time = 0;  // ns, duration for which the power is known
  double joules = 0;

  // Must be called only if time is not 0.
  double watts() const { return joules / static_cast<double>(time) * 1e9; }
  Energy& operator+=(const Energy& other) {
    time += other.time;
    joules += other.joules;
    return *this;
  }
};

class PowerCurve {
 public:
  // A time with constant power.
  struct Piece {
    Interval time;
    double watts;
  };

  // `pieces` must be sorted and disjoint.
  explicit PowerCurve(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}
  Energy over(const Interval& time) const;
  Energy over(const Intervals& times) const;
  Energy all() const;

 private:
  std::vector<Piece> pieces_;
};

struct GpuPower {
  std::optional<std::int64_t>
      gpu;  // TARGET_INFO_GPU.id; empty if the report does not say which GPU it is
  std::vector<double> watts;      // the samples of the power; may be empty
  std::optional<Energy> metered;  // from the first to the last sample of the GPU's energy counter
  PowerCurve curve;  // made from the energy counter if it was sampled as often as the power
};

// Reads the power of each GPU whose power or energy was sampled, in the order of the GPUs' ids.
base::Result<std::vector<GpuPower>> read_gpu_power(const report::ReportReader& reader);

}  // namespace prof::insight
