// Memory of machines that are made up.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/made_up_machine.hpp"

namespace prof::metrics {
namespace {

TEST(MemoryReaders, ReadMemoryAndPageFaults) {
  const test::MadeUpMachine machine;
  EXPECT_TRUE(memory_readers(machine.root()).empty());
  machine.write("proc/meminfo",
                "MemTotal:       1000 kB\nMemFree: 10 kB\nMemAvailable:    600 kB\n"
                "Cached:          300 kB\nSwapCached: 1 kB\nDirty: 5 kB\nShmem: 7 kB\n"
                "SwapTotal: 100 kB\nSwapFree: 40 kB\n");
  machine.write("proc/vmstat", "pgfault 123\npgmajfault 4\npswpin 5\n");
  machine.write("proc/pressure/memory", "some avg10=0.00 total=1000000\n");
  const CounterReaders readers = memory_readers(machine.root());
  ASSERT_EQ(readers.size(), 1U);
  auto values = test::values_of(*readers[0]);
  EXPECT_EQ(values["Used"], 400 * 1024);
  EXPECT_EQ(values["Available"], 600 * 1024);
  EXPECT_EQ(values["Cached"], 300 * 1024);
  EXPECT_EQ(values["Swap Used"], 60 * 1024);
  EXPECT_EQ(values["Page Faults"], 123);
  EXPECT_EQ(values["Major Page Faults"], 4);
  EXPECT_EQ(values["Swapped In"], 5);
  EXPECT_TRUE(std::isnan(values["Swapped Out"]));
  EXPECT_EQ(values["Memory Pressure: some tasks wait"], 1);
  EXPECT_TRUE(std::isnan(values["Memory Pressure: all tasks wait"]));
}

}  // namespace
}  // namespace prof::metrics
