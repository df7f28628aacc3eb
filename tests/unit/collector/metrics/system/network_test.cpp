// Network interfaces, InfiniBand ports and EFA adapters of machines that are made up.
#include <gtest/gtest.h>

#include "tests/unit/made_up_machine.hpp"

namespace prof::metrics {
namespace {

using Values = std::map<std::string, double>;

bool is_any(const std::string&) { return true; }

void add_interface(const test::MadeUpMachine& machine, const std::string& name, int factor) {
  const std::string folder = "sys/class/net/" + name + "/statistics/";
  for (const auto& [file, value] :
       Values{{"collisions", 1}, {"rx_bytes", 2}, {"tx_bytes", 3}, {"rx_dropped", 4}})
    machine.write(folder + file, std::to_string(static_cast<int>(value) * factor) + "\n");
}

TEST(NetworkReaders, ReadPhysicalInterfacesBytesFirst) {
  const test::MadeUpMachine machine;
  add_interface(machine, "eth0", 1);
  add_interface(machine, "lo", 10);
  machine.write("sys/class/net/eth0/device/vendor", "0x15b3\n");
  const CounterReaders readers = network_readers(machine.root(), {}, is_any);
  ASSERT_EQ(test::devices_of(readers), std::vector<std::string>{"eth0"});
  EXPECT_EQ(readers[0]->group().counters[0].name, "tx_bytes");
  EXPECT_EQ(readers[0]->group().counters[1].name, "rx_bytes");
  EXPECT_EQ(readers[0]->group().counters[0].unit, "bytes");
  EXPECT_EQ(test::values_of(*readers[0]),
            (Values{{"tx_bytes", 3}, {"rx_bytes", 2}, {"collisions", 1}, {"rx_dropped", 4}}));
  add_interface(machine, "eth0", 5);
  EXPECT_EQ(test::values_of(*readers[0])["tx_bytes"], 15);
}

TEST(NetworkReaders, ReadWhatIsAskedFor) {
  const test::MadeUpMachine machine;
  for (const char* name : {"eth0", "lo", "veth1"}) add_interface(machine, name, 1);
  EXPECT_EQ(test::devices_of(network_readers(machine.root(), {}, is_any)),
            (std::vector<std::string>{"eth0", "veth1"}));  // none is physical, as in a container
  EXPECT_EQ(test::devices_of(network_readers(
                machine.root(), [](const std::string& name) { return name == "lo"; }, is_any)),
            std::vector<std::string>{"lo"});
  const auto no_counter = [](const std::string&) { return false; };
  EXPECT_TRUE(network_readers(machine.root(), {}, no_counter).empty());
}

TEST(NetworkReaders, AreGoneWithTheInterface) {
  const test::MadeUpMachine machine;
  EXPECT_TRUE(network_readers(machine.root(), {}, is_any).empty());
  machine.write("sys/class/net/eth0/statistics/rx_bytes", "7");
  const CounterReaders readers = network_readers(machine.root(), {}, is_any);
  machine.write("sys/class/net/eth0/statistics/rx_bytes", "");
  std::vector<double> value(1);
  EXPECT_EQ(readers.at(0)->read(value), ReadOutcome::kGone);
  EXPECT_EQ(readers[0]->loss(), "eth0 is gone: its counters end here.");
}

TEST(InfinibandReaders, CountWordsAsBytes) {
  const test::MadeUpMachine machine;
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/counters/";
  machine.write(port + "port_xmit_data", "100\n");
  machine.write(port + "port_rcv_data", "25\n");
  machine.write(port + "port_xmit_wait", "9\n");
  const CounterReaders readers = infiniband_readers(machine.root(), {});
  ASSERT_EQ(test::devices_of(readers), std::vector<std::string>{"mlx5_0:1"});
  EXPECT_EQ(test::values_of(*readers[0]),
            (Values{{"tx_bytes", 400}, {"rx_bytes", 100}, {"tx_wait_ticks", 9}}));
  EXPECT_TRUE(efa_readers(machine.root(), {}).empty());
}

class Efa : public testing::Test {
 protected:
  Efa() {
    const std::string port = folder_ + "/rdmap0s6/ports/1/hw_counters/";
    for (const char* name : {"rdma_read_bytes", "rdma_read_resp_bytes", "rx_bytes", "send_bytes",
                             "rdma_read_wrs", "tx_pkts", "rx_drops", "rdma_read_wr_err"})
      machine_.write(port + name, "5\n");
  }
  std::vector<std::string> names(const EfaOptions& options) {
    std::vector<std::string> names;
    for (const auto& each : efa_readers(machine_.root(), options))
      for (const CounterKind& counter : each->group().counters) names.push_back(counter.name);
    return names;
  }
  test::MadeUpMachine machine_;
  std::string folder_ = "sys/class/infiniband";
};

TEST_F(Efa, HasBytesOfRdmaUnlessMoreIsAskedFor) {
  EXPECT_EQ(names({}),
            (std::vector<std::string>{"rdma_read_bytes", "rdma_read_resp_bytes", "rx_bytes"}));
  EXPECT_EQ(
      names(
          {.folder = "", .work_requests = true, .packets = true, .errors = true, .non_rdma = true})
          .size(),
      8U);
  EXPECT_EQ(names({.folder = machine_.path(folder_)}).size(), 3U);
  EXPECT_TRUE(names({.folder = machine_.path("sys/class")}).empty());
}

TEST_F(Efa, IsNoInfinibandAdapter) {
  machine_.write(folder_ + "/rdmap0s6/ports/1/counters/port_xmit_data", "1");
  EXPECT_TRUE(infiniband_readers(machine_.root(), {}).empty());
}

}  // namespace
}  // namespace prof::metrics
