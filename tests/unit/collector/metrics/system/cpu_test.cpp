// CPUs of machines that are made up.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "tests/unit/made_up_machine.hpp"

namespace prof::metrics {
namespace {

// Two CPUs, the first of which has worked for `seconds`.
std::string statistics(long seconds, bool has_second = true) {
  const std::string ticks = std::to_string(seconds * sysconf(_SC_CLK_TCK));
  return "cpu  " + ticks + " 0 0 0 0 0 0 0 0 0\ncpu0 " + ticks + " 0 0 0 0 0 0 0 0 0\n" +
         (has_second ? "cpu1 0 0 0 0 0 0 0 0 0 0\n" : "") +
         "intr 1 2 3\nctxt 77\nprocesses 9\nprocs_running 4\nprocs_blocked 1\n";
}

TEST(CpuReaders, ReadAllCpusAndEach) {
  const test::MadeUpMachine machine;
  machine.write("proc/stat", statistics(10));
  const CounterReaders readers = cpu_readers(machine.root());
  ASSERT_EQ(test::devices_of(readers), (std::vector<std::string>{"all", "0", "1"}));
  auto all = test::values_of(*readers[0]);
  EXPECT_EQ(all["User"], 5);  // seconds of the machine, which has two CPUs
  EXPECT_EQ(all["Context Switches"], 77);
  EXPECT_EQ(all["Process Starts"], 9);
  EXPECT_EQ(all["Runnable Tasks"], 4);
  EXPECT_EQ(all["Blocked Tasks"], 1);
  EXPECT_EQ(all.count("CPU Pressure: some tasks wait"), 0U);
  EXPECT_EQ(test::values_of(*readers[1])["Use"], 10);
  EXPECT_EQ(test::values_of(*readers[2])["Use"], 0);
  machine.write("proc/stat", statistics(20, false));
  EXPECT_EQ(test::values_of(*readers[0])["User"], 10);
  EXPECT_EQ(test::values_of(*readers[1])["Use"], 20);
  EXPECT_TRUE(std::isnan(test::values_of(*readers[2])["Use"]));  // switched off
}

TEST(CpuReaders, ReadFrequenciesInTheOrderOfTheCpus) {
  const test::MadeUpMachine machine;
  for (const char* cpu : {"cpu10", "cpu2"})
    machine.write(std::string("sys/devices/system/cpu/") + cpu + "/cpufreq/scaling_cur_freq",
                  "2400000\n");
  machine.write("sys/devices/system/cpu/cpu3/online", "1");
  machine.write("sys/devices/system/cpu/cpufreq/scaling_cur_freq", "1");
  const CounterReaders readers = cpu_frequency_readers(machine.root());
  ASSERT_EQ(test::devices_of(readers), (std::vector<std::string>{"2 frequency", "10 frequency"}));
  EXPECT_EQ(test::values_of(*readers[0])["Frequency"], 2400);
  EXPECT_TRUE(cpu_readers(machine.root()).empty());
}

}  // namespace
}  // namespace prof::metrics
