#include "cli/monitor/snapshot_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace prof::cli {
namespace {

GpuReadings snapshot() {
  GpuReadings result;
  result.time = 1'500'000'000;
  result.devices = {{"Network", "eth0", {{"rx_bytes", "bytes/s", 2.5}, {"lost", "", NAN}}}};
  result.processes = {{1, 7, "a \"b\", c", true, 100, NAN, 3, 4, 5}};
  result.cpu_processes = {{9, "make", 150.5, 4096}};
  return result;
}

TEST(SnapshotText, HasALineForEachValue) {
  EXPECT_EQ(csv_heading(), "time,domain,device,counter,unit,value\n");
  EXPECT_EQ(csv_lines(snapshot()),
            "1.500000,Network,eth0,rx_bytes,bytes/s,2.5\n"
            "1.500000,NVML,\"GPU 1 process 7 a \"\"b\"\", c\",Memory Used,bytes,100\n"
            "1.500000,NVML,\"GPU 1 process 7 a \"\"b\"\", c\",Memory Utilization,%,3\n"
            "1.500000,NVML,\"GPU 1 process 7 a \"\"b\"\", c\",Encoder,%,4\n"
            "1.500000,NVML,\"GPU 1 process 7 a \"\"b\"\", c\",Decoder,%,5\n"
            "1.500000,CPU,process 9 make,Use,%,150.5\n"
            "1.500000,CPU,process 9 make,Memory Used,bytes,4096\n");
}

TEST(SnapshotText, IsOneObjectOfJson) {
  const std::string line = json_line(snapshot());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto document = nlohmann::json::parse(line);
  EXPECT_EQ(document["time"], 1.5);
  EXPECT_EQ(document["devices"][0]["counters"]["rx_bytes"]["value"], 2.5);
  EXPECT_TRUE(document["devices"][0]["counters"]["lost"]["value"].is_null());
  EXPECT_EQ(document["processes"][0]["pid"], 7);
  EXPECT_TRUE(document["processes"][0]["sm_percent"].is_null());
  EXPECT_EQ(document["cpu_processes"][0]["pid"], 9);
  EXPECT_EQ(document["cpu_processes"][0]["cpu_percent"], 150.5);
}

}  // namespace
}  // namespace prof::cli
