#include "cli/monitor/screen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::cli {
namespace {

GpuReadings busy_machine() {
  GpuReadings result;
  result.devices = {
      {"NVML",
       "GPU 0",
       {{"GPU Utilization", "%", 80}, {"Power", "W", 350}, {"Memory Used", "bytes", 1 << 30}}},
      {"NVML", "GPU 0 meters", {{"PCIe RX", "bytes/s", 12.3e6}}},
      {"NVML",
       "GPU 0 throttling",
       {{"Throttled: SW Power Cap", "", 1}, {"Throttled: HW Slowdown", "", 0}}},
      {"NVML", "GPU 0 state", {{"Power Limit", "W", 700}}},
      {"CPU", "all", {{"User", "%", 12}, {"System", "%", NAN}}},
      {"CPU", "0", {{"Use", "%", 100}}},
      {"Network", "eth0", {{"rx_bytes", "bytes/s", 2.5e9}}}};
  result.processes = {{0, 20, "python\nx", true, 5e9, 60, 10, 0, 0},
                      {0, 10, "render", false, 7e9, NAN, 10, 0, 0}};
  return result;
}

GpuReadings without_gpu() {
  GpuReadings result;
  result.devices = {
      {"CPU", "all", {{"User", "%", 12}, {"CPU Pressure: some tasks wait", "%", 34}}},
      {"Network", "eth0", {{"rx_bytes", "bytes/s", 2.5e9}, {"tx_bytes", "bytes/s", 1e3}}},
      {"Storage", "sda", {{"In Flight", "", 1}, {"Read", "B/s", 7e9}, {"Busy", "%", 99}}}};
  for (unsigned pid = 1; pid <= 30; ++pid)
    result.cpu_processes.push_back({pid, "worker", 100.0 - pid, 1024.0 * pid});
  return result;
}

std::string drawn(const ScreenStyle& style, ProcessOrder order = ProcessOrder::kGpu,
                  bool has_gpus = true) {
  Screen screen(has_gpus ? std::vector<MonitoredGpu>{{0, "H200", 150e9}, {1, "H200", 150e9}}
                         : std::vector<MonitoredGpu>{});
  screen.add(has_gpus ? busy_machine() : without_gpu());
  std::string text;
  for (const std::string& line : screen.draw(style, order, {"heading"}, "remark")) {
    EXPECT_LE(tables::display_width(line), style.width + (style.color ? 20 : 0)) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
    text += line + "\n";
  }
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Screen, ShowsGpusProcessesAndTheMachine) {
  const std::string text = drawn({});
  EXPECT_TRUE(text.starts_with("heading\nremark\n")) << text;
  EXPECT_TRUE(has(text, "350/700 W")) << text;
  EXPECT_TRUE(has(text, "1.0 GiB/139.7 GiB")) << text;
  EXPECT_TRUE(has(text, "received   12.3 MB/s")) << text;
  EXPECT_TRUE(has(text, "throttled: SW Power Cap\n")) << text;
  EXPECT_TRUE(has(text, "1   H200             lost")) << text;
  EXPECT_TRUE(has(text, "user  12%  system    -")) << text;
  EXPECT_TRUE(has(text, "2.5 GB/s")) << text;
  EXPECT_TRUE(has(text, "█")) << text;
  EXPECT_FALSE(has(text, "\x1b")) << text;
}

TEST(Screen, OrdersProcesses) {
  EXPECT_LT(drawn({}).find("render"), drawn({}).find("python"));
  const std::string by_use = drawn({}, ProcessOrder::kUtilization);
  EXPECT_LT(by_use.find("python"), by_use.find("render"));
  const std::string by_memory = drawn({}, ProcessOrder::kMemory);
  EXPECT_LT(by_memory.find("render"), by_memory.find("python"));
}

TEST(Screen, ListsProcessesByCpu) {
  const std::string text = drawn({.width = 80, .lines = 24}, ProcessOrder::kGpu, false);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 24) << text;
  EXPECT_TRUE(has(text, "CPU       PID     Use      Memory  Name\n")) << text;
  EXPECT_TRUE(has(text, "            1   99.0%     1.0 KiB  worker\n")) << text;
  EXPECT_LT(text.find(" 99.0%"), text.find(" 98.0%"));
  EXPECT_TRUE(has(drawn({.width = 80, .lines = 24}, ProcessOrder::kMemory, false), "30.0 KiB"));
}

TEST(Screen, CutsNoFigureAt80Columns) {
  const std::string text = drawn({.width = 80, .lines = 40}, ProcessOrder::kGpu, false);
  for (const char* part : {"pressure  34%", "received    2.5 GB/s", "sent    1.0 kB/s",
                           "dropped -/s", "read    7.0 GB/s", "busy  99%"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  EXPECT_FALSE(has(text, "…")) << text;
}

TEST(Screen, FitsTheTerminal) {
  const std::string text = drawn({.width = 40, .lines = 5, .color = true, .unicode = false});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_TRUE(has(text, "\x1b[1m"));
}

TEST(Scaled, HasThePrefixThatFits) {
  EXPECT_EQ(scaled(0, "B/s", false), "0 B/s");
  EXPECT_EQ(scaled(999, "B/s", false), "999 B/s");
  EXPECT_EQ(scaled(1500, "B/s", false), "1.5 kB/s");
  EXPECT_EQ(scaled(1536, "B", true), "1.5 KiB");
  EXPECT_EQ(scaled(NAN, "B", true), "-");
}

}  // namespace
}  // namespace prof::cli
