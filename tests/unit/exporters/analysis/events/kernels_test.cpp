#include "exporters/analysis/events/kernels.hpp"

#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::events {
namespace {

class KernelsTest : public test::ReportFixture {
 protected:
  KernelsTest() {
    create_api();
    create_kernels();
    create_ranges();
    add_call(10, 20, 9, 1);
    add_call(10, 30, 8, 1);
    add_kernel(25, 125, 9, 1);
    add_kernel(25, 225, 8, 1);
    add_range(0, "100", 8, "step");
  }
  std::vector<std::string> names(const KernelNaming& naming) {
    const auto file = reader();
    auto names = KernelNames::make(file, naming);
    std::vector<std::string> result;
    EXPECT_TRUE(names);
    EXPECT_TRUE(for_each_kernel(
        file, *names, [&](const Kernel& kernel) { result.push_back(names->text(kernel.key)); }));
    return result;
  }
  using Names = std::vector<std::string>;
};

TEST_F(KernelsTest, NamesAreChosen) {
  EXPECT_EQ(names({}), (Names{"f(int)", "f(int)"}));
  EXPECT_EQ(names({KernelName::kBase}), (Names{"f", "f"}));
  EXPECT_EQ(names({KernelName::kBase, true}), (Names{"f", "step/f"}));
}

TEST_F(KernelsTest, MangledNamesAreNotInEveryReport) {
  EXPECT_EQ(names({KernelName::kMangled}), (Names{"f(int)", "f(int)"}));
  sql("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN mangledName;"
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET mangledName = 4 WHERE end = 125;");
  EXPECT_EQ(names({KernelName::kMangled}), (Names{"_Z1fi", "f(int)"}));
}

TEST(Dimensions, AreFourWide) { EXPECT_EQ(dimensions_text({1, 22, 65536}), "   1   22 65536"); }

TEST_F(KernelsTest, SummaryByNvtxName) {
  const auto file = reader();
  EXPECT_EQ(lines(stats::cuda_gpu_kern_gb_sum(file, {{KernelName::kDemangled, true}}))[1],
            "66.7,200,1,200.0,200.0,200,200,0.0,   1    2    3,  64    1    1,step/f(int)");
  EXPECT_EQ(lines(stats::cuda_gpu_kern_sum(file, {}))[1],
            "100.0,300,2,150.0,150.0,100,200,70.7,f(int)");
}

TEST_F(KernelsTest, ExecutionsMeetTheirOwnProcess) {
  add_kernel(500, 600, 9, 77);  // its launch was not recorded
  const auto file = reader();
  const auto trace = lines(stats::cuda_kern_exec_trace(file, {}));
  ASSERT_EQ(trace.size(), 3U);
  EXPECT_EQ(trace[1],
            "10,10,20,5,25,100,115,9,9,0,cudaLaunchKernel,   1    2    3,  64    1    1,f(int)");
  // It started before the call returned.
  EXPECT_EQ(trace[2],
            "10,20,,,25,200,215,8,8,0,cudaLaunchKernel,   1    2    3,  64    1    1,f(int)");
  const auto sum = lines(stats::cuda_kern_exec_sum(file, {}));
  ASSERT_EQ(sum.size(), 3U);
  EXPECT_EQ(sum[1],
            "8,8,0,1,0,215.0,215.0,215,215,0.0,20.0,20.0,20,20,0.0,,,,,0.0,"
            "200.0,200.0,200,200,0.0,cudaLaunchKernel,f(int)");
}

TEST_F(KernelsTest, TraceOfAnOldExport) {
  sql("CREATE TABLE TARGET_INFO_CUDA_GPU (name, deviceId);"
      "INSERT INTO TARGET_INFO_CUDA_GPU VALUES ('Old GPU', 0);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, value, bytes, memKind);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (5, 5, 0, 1, 7, 3, 0, 0, 1500000, 4);");
  const auto file = reader();
  const auto trace = lines(stats::cuda_gpu_trace(file, {}));
  ASSERT_EQ(trace.size(), 4U);
  EXPECT_EQ(trace[1], "5,0,3,,,,,,,,,,1.500,,Managed,,Old GPU (0),1,,7,[CUDA memset]");
  EXPECT_EQ(trace[2], "25,100,1,1,2,3,64,1,1,16,0.000,0.000,,,,,Old GPU (0),1,,7,f(int)");
}

}  // namespace
}  // namespace prof::events
