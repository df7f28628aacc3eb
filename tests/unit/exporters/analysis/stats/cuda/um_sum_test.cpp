#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

using Lines = std::vector<std::string>;

class UmSumTest : public test::ReportFixture {
 protected:
  void create() {
    sql("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, bytes, copyKind, virtualAddress);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0,1000,2000000,11,4096),"
        "(0,1000,1000000,12,4096), (0,1000,65536,11,8192), (0,9,777,1,NULL);"
        "CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (start, address, CpuInstruction);"
        "INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES (0,4096,3),(1,4096,3),(2,12288,0);"
        "CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start, end, address, numberOfPageFaults);"
        "INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (0,1,8192,5);");
  }
  Lines of(const char* name, const Arguments& arguments = {}) {
    const auto file = reader();
    return lines(run(*find_statistic(name), file, arguments));
  }
};

TEST_F(UmSumTest, ByAddress) {
  create();
  const Lines all = {
      "Virtual Address,HtoD Migration Size (MB),DtoH Migration Size (MB),"
      "CPU Page Faults,GPU PageFaults,Migration Throughput (MB/s)",
      "0x1000,2.000,1.000,2,0,1500000.000", "0x2000,0.066,0.000,0,5,65536.000"};
  EXPECT_EQ(of("um_sum"), all);
  EXPECT_EQ(of("um_sum", {.kernels = {}, .rows = -1}), all);
  EXPECT_EQ(of("um_sum", {.kernels = {}, .rows = 1}), (Lines{all[0], all[1]}));
}

TEST_F(UmSumTest, Total) {
  create();
  EXPECT_EQ(of("um_total_sum"),
            (Lines{"Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),"
                   "Total CPU Page Faults,Total GPU PageFaults,Minimum Virtual Address,"
                   "Maximum Virtual Address",
                   "2.066,1.000,3,5,0x1000,0x3000"}));
}

TEST_F(UmSumTest, NothingMigrated) {
  sql("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, bytes, copyKind);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0,9,777,1);");
  const auto file = reader();
  EXPECT_TRUE(run(*find_statistic("um_total_sum"), file, {})->rows.empty());
}

TEST_F(UmSumTest, CpuPageFaultsByInstruction) {
  create();
  EXPECT_EQ(of("um_cpu_page_faults_sum"),
            (Lines{"CPU Page Faults,CPU Instruction Address", "2,f", "1,zero"}));
  sql("ALTER TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS ADD sourceFile;"
      "ALTER TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS ADD sourceLine;"
      "UPDATE CUDA_UM_CPU_PAGE_FAULT_EVENTS SET sourceFile = 4, sourceLine = start "
      "WHERE CpuInstruction = 3;");
  EXPECT_EQ(of("um_cpu_page_faults_sum"),
            (Lines{"CPU Page Faults,CPU Instruction Address,Source File,Source Line", "1,f,_Z1fi,0",
                   "1,f,_Z1fi,1", "1,zero,,"}));
}

}  // namespace
}  // namespace prof::stats
