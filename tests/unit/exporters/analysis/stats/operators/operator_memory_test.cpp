#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/analysis/operators/operator_fixture.hpp"

namespace prof::stats {
namespace {

class OperatorMemory : public test::OperatorFixture {
 protected:
  OperatorMemory() {
    sql("CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, "
        "address, bytes, memKind, memoryOperationType, name, correlationId);"
        "INSERT OR REPLACE INTO StringIds VALUES (1, 'cudaMalloc_v3020');");
    module(kMain, 100, 200, "Net.forward");
    module(kMain, 110, 150, "Linear.forward");
    op(kMain, 120, 140, "aten::empty, op_id = 1, sizes = [[4, 8]]");
    op(kMain, 160, 170, "aten::empty, op_id = 2, sizes = [[4, 8]]");
    allocate(130, 0x100, 1000);
    allocate(165, 0x200, 300);
    release(180, 0x100, 1000);
    allocate(190, 0x300, 200);   // in the module, without an operator
    allocate(220, 0x400, 2000);  // outside of all ranges: the peak
    release(230, 0x400, 2000);
    release(240, 0x200, 300);
    event(250, 0, 0x500, 7, 999);  // its call was not recorded
  }
  std::vector<std::string> rows(const char* words) {
    const auto file = reader();
    const Statistic* statistic = find_statistic("operator_memory");
    auto all = lines(run(*statistic, file, parse_arguments(words, statistic->takes).value()));
    all.erase(all.begin());
    return all;
  }

 private:
  void allocate(std::int64_t time, std::int64_t address, std::int64_t bytes) {
    event(time, 0, address, bytes, call(time));
  }
  void release(std::int64_t time, std::int64_t address, std::int64_t bytes) {
    event(time, 1, address, bytes, call(time));
  }
  std::int64_t call(std::int64_t time) {
    sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({},{},0,{},{},1,0,NULL);",
                    time, time + 1, test::global_id(kPid, kMain), ++calls_));
    return calls_;
  }
  void event(std::int64_t time, int operation, std::int64_t address, std::int64_t bytes,
             std::int64_t correlation) {
    sql(fmt::format(
        "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES ({},{},0,1,{},{},2,{},NULL,{});", time,
        test::global_id(kPid, 0), address, bytes, operation, correlation));
  }
  std::int64_t calls_ = 100;
};

using Lines = std::vector<std::string>;

TEST_F(OperatorMemory, BelongsToTheOperatorThatAllocatesIt) {
  EXPECT_EQ(
      rows(""),
      (Lines{"80.0,2000,1,2000,2000,0,9,0,Device,cudaMalloc,,forward,,,name",
             "12.0,300,1,300,300,0,9,0,Device,aten::empty,\"[[4, 8]]\",forward,Net,other,operator",
             "8.0,200,1,200,200,200,9,0,Device,cudaMalloc,,forward,Net,,module",
             "0.0,0,1,1000,1000,0,9,0,Device,aten::empty,\"[[4, 8]]\",forward,Net > "
             "Linear,other,operator",
             "0.0,0,1,7,7,7,9,0,Device,,,,,,name"}));
}

TEST_F(OperatorMemory, HasGroups) {
  EXPECT_EQ(rows("name"), (Lines{"88.0,2200,2,2200,2000,200,9,0,Device,cudaMalloc,,,,,",
                                 "12.0,300,2,1300,1000,0,9,0,Device,aten::empty,,,,,",
                                 "0.0,0,1,7,7,7,9,0,Device,,,,,,"}));
  EXPECT_EQ(rows("module"), (Lines{"80.0,2000,2,2007,2000,7,9,0,Device,,,,,,",
                                   "20.0,500,2,500,300,200,9,0,Device,,,,Net,,",
                                   "0.0,0,1,1000,1000,0,9,0,Device,,,,Net > Linear,,"}));
}

}  // namespace
}  // namespace prof::stats
