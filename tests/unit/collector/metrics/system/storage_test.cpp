// Disks and mounts of machines that are made up.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/made_up_machine.hpp"

namespace prof::metrics {
namespace {

using Values = std::map<std::string, double>;

TEST(DiskReaders, ReadBytesRequestsAndBusyTime) {
  const test::MadeUpMachine machine;
  machine.write("sys/block/sda/size", "1000\n");
  machine.write("sys/block/sda/stat", "  10 0 200 5 20 0 400 6 3 1500 11 0 0 0 0\n");
  machine.write("sys/block/loop0/size", "0\n");
  machine.write("sys/block/loop0/stat", "0 0 0 0 0 0 0 0 0 0 0\n");
  const CounterReaders readers = disk_readers(machine.root(), {});
  ASSERT_EQ(test::devices_of(readers), std::vector<std::string>{"sda"});
  EXPECT_EQ(test::values_of(*readers[0]), (Values{{"Read", 200 * 512},
                                                  {"Written", 400 * 512},
                                                  {"Reads", 10},
                                                  {"Writes", 20},
                                                  {"Busy", 1.5},
                                                  {"In Flight", 3}}));
}

TEST(DiskReaders, HaveThePressure) {
  const test::MadeUpMachine machine;
  machine.write("proc/pressure/io",
                "some avg10=1.00 avg60=0.00 avg300=0.00 total=2500000\n"
                "full avg10=0.00 avg60=0.00 avg300=0.00 total=500000\n");
  const CounterReaders readers = disk_readers(machine.root(), {});
  ASSERT_EQ(test::devices_of(readers), std::vector<std::string>{"pressure"});
  EXPECT_EQ(test::values_of(*readers[0]), (Values{{"I/O Pressure: some tasks wait", 2.5},
                                                  {"I/O Pressure: all tasks wait", 0.5}}));
}

std::string nfs_statistics(int reads, int milliseconds) {
  return "device rootfs mounted on / with fstype rootfs\n"
         "device server:/data mounted on /mnt/data with fstype nfs4 statvers=1.1\n"
         "\topts:\trw,vers=4.2\n"
         "\tbytes:\t1000 2000 30 40 500 600 0 0\n"
         "\tper-op statistics\n"
         "\t        READ: " +
         std::to_string(reads) + " 0 0 0 0 0 0 " + std::to_string(milliseconds) +
         " 0\n"
         "\t       WRITE: 7 7 0 0 0 1 2 3 0\n"
         "device server:/home mounted on /home with fstype nfs statvers=1.1\n"
         "\tbytes:\t1 1 1 1 1 1 1 1\n";
}

TEST(NfsReaders, ReadBytesAndLatencies) {
  const test::MadeUpMachine machine;
  machine.write("proc/self/mountstats", nfs_statistics(10, 50));
  const CounterReaders readers = nfs_readers(machine.root(), {});
  ASSERT_EQ(test::devices_of(readers), (std::vector<std::string>{"/mnt/data", "/home"}));
  Values values = test::values_of(*readers[0]);
  EXPECT_EQ(values["Read by Programs"], 1030);
  EXPECT_EQ(values["Written by Programs"], 2040);
  EXPECT_EQ(values["Read from Server"], 500);
  EXPECT_EQ(values["Written to Server"], 600);
  EXPECT_EQ(values["READ"], 10);
  EXPECT_TRUE(std::isnan(values["READ Latency"]));
  EXPECT_EQ(test::values_of(*readers[1])["Read from Server"], 1);
  machine.write("proc/self/mountstats", nfs_statistics(14, 70));
  values = test::values_of(*readers[0]);
  EXPECT_EQ(values["READ Latency"], 5);  // 20 ms for 4 requests
  EXPECT_TRUE(std::isnan(values["WRITE Latency"]));
}

TEST(NfsReaders, AreGoneWithTheMount) {
  const test::MadeUpMachine machine;
  machine.write("proc/self/mountstats", nfs_statistics(1, 1));
  const CounterReaders readers =
      nfs_readers(machine.root(), [](const std::string& name) { return name == "/home"; });
  ASSERT_EQ(readers.size(), 1U);
  machine.write("proc/self/mountstats", "device rootfs mounted on / with fstype rootfs\n");
  std::vector<double> values(readers[0]->group().counters.size());
  EXPECT_EQ(readers[0]->read(values), ReadOutcome::kGone);
}

TEST(LustreReaders, ReadSumsOfBytes) {
  const test::MadeUpMachine machine;
  machine.write("proc/fs/lustre/llite/scratch-ff00/stats",
                "snapshot_time 1 secs.usecs\n"
                "read_bytes 12 samples [bytes] 4096 1048576 123456\n"
                "write_bytes 3 samples [bytes] 1 10 21\n"
                "open 5 samples [regs]\n");
  const Values expected{
      {"Read", 123456}, {"Written", 21}, {"Reads", 12}, {"Writes", 3}, {"Opens", 5}};
  const CounterReaders readers = lustre_readers(machine.root(), "", {});
  ASSERT_EQ(test::devices_of(readers), std::vector<std::string>{"scratch-ff00"});
  EXPECT_EQ(test::values_of(*readers[0]), expected);
  const std::string folder = machine.path("proc/fs/lustre/llite");
  EXPECT_EQ(lustre_readers({}, folder, {}).size(), 1U);
  EXPECT_TRUE(lustre_readers({}, folder, [](const std::string&) { return false; }).empty());
}

}  // namespace
}  // namespace prof::metrics
