// Draws the snapshots of prof monitor on a terminal.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/monitor/gpu_readings.hpp"

namespace prof::cli {

enum class ProcessOrder : std::uint8_t { kGpu, kMemory, kUtilization, kPid, kName };

struct ScreenStyle {
  std::size_t width = 120;
  std::size_t lines = 0;  // 0: as many as there are
  bool color = false;
  bool unicode = true;
};

class Screen {
 public:
  explicit Screen(std::vector<MonitoredGpu> gpus) : gpus_(std::move(gpus)) {}

  void add(GpuReadings snapshot);

  // Returns the newest snapshot and the curves of the snapshots before it, as lines that fit the
  // width. The parts of the heading share as many lines as they need.
  std::vector<std::string> draw(const ScreenStyle& style, ProcessOrder order,
                                const std::vector<std::string>& heading,
                                const std::string& remark) const;

 private:
  using Curve = std::pair<std::string, std::string>;  // device and counter
  std::string curve(const std::string& device, const std::string& counter, double most,
                    const ScreenStyle& style) const;
  void draw_gpus(std::vector<std::string>& lines, const ScreenStyle& style) const;
  void draw_processes(std::vector<std::string>& lines, ProcessOrder order) const;
  void draw_cpu_processes(std::vector<std::string>& lines, ProcessOrder order,
                          std::size_t most) const;
  void draw_machine(std::vector<std::string>& lines, const ScreenStyle& style) const;
  void draw_network(std::vector<std::string>& lines, const ScreenStyle& style) const;
  void draw_storage(std::vector<std::string>& lines, const ScreenStyle& style) const;

  std::vector<MonitoredGpu> gpus_;
  GpuReadings newest_;
  std::map<Curve, std::deque<double>> history_;
};

// Returns a value with its unit: "12.3 MB/s", "8.0 GiB". Units that are `binary` have powers of
// 1024.
std::string scaled(double value, const char* unit, bool binary);

}  // namespace prof::cli
