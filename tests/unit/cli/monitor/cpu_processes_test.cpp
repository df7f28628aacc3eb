#include "cli/monitor/cpu_processes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace prof::cli {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

class CpuProcessesTest : public testing::Test {
 protected:
  void set(int pid, const std::string& name, long ticks, long start) {
    const auto folder = proc_ / std::to_string(pid);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "comm") << name << "\n";
    std::ofstream(folder / "cmdline");
    // The name in parentheses has blanks and a parenthesis. Fields 14, 15, 22 and 24 count.
    std::ofstream(folder / "stat")
        << fmt::format("{} (a b) c) S 1 1 1 0 -1 0 0 0 0 0 {} {} 0 0 20 0 1 0 {} 9999 3 0", pid,
                       ticks, ticks, start);
  }
  void TearDown() override { std::filesystem::remove_all(proc_); }

  std::filesystem::path proc_ =
      std::filesystem::temp_directory_path() / fmt::format("prof-cpu-processes-{}", getpid());
};

TEST_F(CpuProcessesTest, CountTheTimeBetweenTwoReadings) {
  const long hertz = sysconf(_SC_CLK_TCK);
  set(10, "busy", 0, 5);
  set(20, "busier", 1000, 5);
  set(30, "idle", 77, 5);
  set(40, "ends", 0, 5);
  CpuProcesses processes(proc_.string());
  EXPECT_TRUE(processes.read(kSecond).empty());
  set(10, "busy", hertz / 4, 5);
  set(20, "busier", 1000 + hertz, 5);
  std::filesystem::remove_all(proc_ / "40");
  const auto& found = processes.read(101 * kSecond);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "busier");
  EXPECT_DOUBLE_EQ(found[0].cpu, 2.0);  // twice a second of 100 s
  EXPECT_DOUBLE_EQ(found[0].memory, 3.0 * static_cast<double>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(found[1].pid, 10U);
  EXPECT_DOUBLE_EQ(found[1].cpu, 0.5);
}

TEST_F(CpuProcessesTest, TellProcessesOfOneIdApart) {
  const long hertz = sysconf(_SC_CLK_TCK);
  set(10, "old", 50 * hertz, 5);
  CpuProcesses processes(proc_.string());
  processes.read(kSecond);
  set(10, "new", hertz, 900);
  const auto& found = processes.read(101 * kSecond);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].cpu, 2.0);
}

}  // namespace
}  // namespace prof::cli
