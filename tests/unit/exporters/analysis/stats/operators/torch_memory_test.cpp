#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/analysis/operators/operator_fixture.hpp"

namespace prof::stats {
namespace {

class TorchMemoryTest : public test::OperatorFixture {
 protected:
  TorchMemoryTest() {
    sql("CREATE TABLE PROF_TORCH_MEMORY (start, globalTid, operation, address, bytes, allocated, "
        "reserved, deviceType, deviceId);");
  }
  void event(std::int64_t time, int operation, std::int64_t address, std::int64_t bytes,
             std::int64_t allocated, std::int64_t reserved, int type, const char* device) {
    sql(fmt::format("INSERT INTO PROF_TORCH_MEMORY VALUES ({},{},{},{},{},{},{},{},{});", time,
                    test::global_id(kPid, kMain), operation, address, bytes, allocated, reserved,
                    type, device));
  }
  std::vector<std::string> rows(const char* name) {
    const auto file = reader();
    const Statistic* statistic = find_statistic(name);
    auto all = lines(run(*statistic, file, parse_arguments("", statistic->takes).value()));
    all.erase(all.begin());
    return all;
  }
};

using Lines = std::vector<std::string>;

TEST_F(TorchMemoryTest, PeaksOfDevices) {
  event(10, 0, 1, 100, 100, 400, 1, "0");
  event(20, 0, 2, 200, 300, 400, 1, "0");
  event(30, 1, 1, 100, 200, 400, 1, "0");
  event(40, 2, 0, 5000, 200, 800, 1, "0");
  event(50, 2, 0, 70, 200, 900, 1, "0");  // a smaller request
  event(60, 0, 1, 8, 8, 8, 99, "NULL");
  EXPECT_EQ(rows("torch_memory"), (Lines{"300,20,400,25.0,900,2,1,200,200,2,5000,600,9,cuda:0",
                                         "8,60,8,0.0,8,1,0,8,8,0,0,0,9,device type 99"}));
}

TEST_F(TorchMemoryTest, OwnersAreFoundByTheMoment) {
  op(kMain, 5, 25, "aten::empty, op_id = 1, sizes = [[4]]");
  event(10, 0, 1, 100, 100, 400, 1, "0");
  event(30, 0, 1, 50, 150, 400, 1, "0");  // the release of the first was not recorded
  event(40, 1, 7, 20, 130, 400, 1, "0");  // neither was this allocation
  EXPECT_EQ(rows("operator_memory"),
            (Lines{"66.7,100,1,100,100,100,9,0,PyTorch cuda,aten::empty,[[4]],forward,,other,"
                   "operator",
                   "33.3,50,1,50,50,50,9,0,PyTorch cuda,,,forward,,,name"}));
}

}  // namespace
}  // namespace prof::stats
