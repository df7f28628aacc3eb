#include "exporters/analysis/stats/cuda/device_names.hpp"

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

class DeviceNamesTest : public test::ReportFixture {
 protected:
  std::string text(std::int64_t pid, std::int64_t device) {
    const auto file = reader();
    const auto names = DeviceNames::read(file);
    return names ? names->text(pid, device) : names.error().message;
  }
};

TEST_F(DeviceNamesTest, NoTable) { EXPECT_EQ(text(9, 0), "[Unknown] (0)"); }

TEST_F(DeviceNamesTest, NumbersAreOfTheProcess) {
  sql("CREATE TABLE TARGET_INFO_GPU (id, name, cuDevice);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'B', 1), (1, 'A', 0);");
  EXPECT_EQ(text(9, 1), "B (1)");
  sql("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 9), (1, 0, 8);");
  EXPECT_EQ(text(9, 0), "B (0)");
  EXPECT_EQ(text(8, 0), "A (0)");
  EXPECT_EQ(text(7, 0), "A (0)");
  EXPECT_EQ(text(7, 5), "[Unknown] (5)");
}

}  // namespace
}  // namespace prof::stats
