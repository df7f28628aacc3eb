#include "collector/metrics/topology/gpu_topology.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/made_up_machine.hpp"

namespace prof::metrics {
namespace {

TEST(CounterObstacle, IsTheArchitectureTheModeOrTheDriver) {
  const test::MadeUpMachine machine;
  GpuFacts gpu;
  gpu.compute_capability = {9, 0};
  EXPECT_EQ(counter_obstacle(machine.root(), gpu), "");
  machine.write("proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\nOther: 0\n");
  const std::string restricted = counter_obstacle(machine.root(), gpu);
  EXPECT_EQ(restricted.empty(), geteuid() == 0) << restricted;
  gpu.mig = true;
  EXPECT_NE(counter_obstacle(machine.root(), gpu).find("MIG"), std::string::npos);
  gpu.compute_capability = {7, 0};
  EXPECT_NE(counter_obstacle(machine.root(), gpu).find("7.5"), std::string::npos);
  gpu.failure = "lost";
  EXPECT_EQ(counter_obstacle(machine.root(), gpu), "lost");
}

}  // namespace
}  // namespace prof::metrics
