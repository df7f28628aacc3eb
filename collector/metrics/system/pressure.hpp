// Pressure stall information of the kernel: the time that tasks waited for a resource.
#pragma once

#include <string>
#include <vector>

#include "collector/metrics/counter_reader.hpp"
#include "collector/metrics/system/stat_file.hpp"

namespace prof::metrics {

class Pressure {
 public:
  // `resource`: cpu, io or memory.
  Pressure(const std::string& proc, const std::string& resource);
  bool is_known() const { return known_; }
  // Describes the two counters: the time in which some tasks waited, and that in which all waited.
  std::vector<CounterKind> counters() const;
  // Writes the values of the counters; NaN if the kernel does not know them.
  void read(std::span<double> values);

 private:
  StatFile file_;
  std::string name_;
  bool known_;
};

}  // namespace prof::metrics
