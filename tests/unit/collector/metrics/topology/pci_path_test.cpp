#include "collector/metrics/topology/pci_path.hpp"

#include <gtest/gtest.h>

#include "tests/unit/made_up_machine.hpp"

namespace prof::metrics {
namespace {

// A machine with two host bridges on node 0 and one on node 1. Below the first is a switch with two
// GPUs; one of them is below a further switch.
class PciPath : public testing::Test {
 protected:
  void add(const std::string& path, int numa_node) const {
    const std::string folder = "sys/devices/" + path;
    const std::string location = path.substr(path.rfind('/') + 1);
    machine_.write(folder + "/numa_node", std::to_string(numa_node) + "\n");
    machine_.write(folder + "/local_cpulist", numa_node == 0 ? "0-15\n" : "16-31\n");
    machine_.link("sys/bus/pci/devices/" + location, folder);
  }
  Path between(const std::string& a, const std::string& b) const {
    return path_between(pci_place(machine_.root(), a), pci_place(machine_.root(), b));
  }
  test::MadeUpMachine machine_;
};

TEST_F(PciPath, IsNamedByWhatLiesBetween) {
  const std::string ports = "pci0000:00/0000:00:01.0/0000:01:00.0/";  // root port, switch
  add(ports + "0000:02:00.0/0000:03:00.0", 0);
  add(ports + "0000:02:01.0/0000:04:00.0", 0);
  add(ports + "0000:02:02.0/0000:05:00.0/0000:06:00.0/0000:07:00.0", 0);
  add("pci0000:00/0000:00:02.0/0000:08:00.0", 0);
  add("pci0000:40/0000:40:01.0/0000:41:00.0", 0);
  add("pci0000:80/0000:80:01.0/0000:81:00.0", 1);
  EXPECT_EQ(between("0000:03:00.0", "0000:03:00.0"), Path::kSelf);
  EXPECT_EQ(between("0000:03:00.0", "0000:04:00.0"), Path::kSwitch);
  EXPECT_EQ(between("0000:03:00.0", "0000:07:00.0"), Path::kSwitches);
  EXPECT_EQ(between("0000:03:00.0", "0000:08:00.0"), Path::kHostBridge);
  EXPECT_EQ(between("0000:03:00.0", "0000:41:00.0"), Path::kNode);
  EXPECT_EQ(between("0000:81:00.0", "0000:03:00.0"), Path::kSystem);
  const PciPlace place = pci_place(machine_.root(), "0000:81:00.0");
  EXPECT_EQ(place.numa_node, 1);
  EXPECT_EQ(place.cpus, "16-31");
}

TEST_F(PciPath, IsUnknownForDevicesThatAreNotThere) {
  EXPECT_TRUE(pci_place(machine_.root(), "0000:03:00.0").bridges.empty());
  EXPECT_TRUE(pci_place(machine_.root(), "").bridges.empty());
}

TEST_F(PciPath, AdaptersAreThoseOfInfiniband) {
  add("pci0000:80/0000:80:01.0/0000:81:00.0", 1);
  machine_.link("sys/class/infiniband/mlx5_0/device", "sys/bus/pci/devices/0000:81:00.0");
  machine_.write("sys/class/infiniband/rxe0/node_desc", "software");
  const auto adapters = network_adapters(machine_.root());
  ASSERT_EQ(adapters.size(), 2U);
  EXPECT_EQ(adapters[0].name, "mlx5_0");
  EXPECT_EQ(adapters[0].location, "0000:81:00.0");
  EXPECT_EQ(adapters[0].place.numa_node, 1);
  EXPECT_EQ(adapters[1].location, "");
}

}  // namespace
}  // namespace prof::metrics
