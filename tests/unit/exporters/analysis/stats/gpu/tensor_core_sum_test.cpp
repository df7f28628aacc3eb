#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::stats {
namespace {

class TensorCoreSumTest : public test::GpuFixture {};

TEST_F(TensorCoreSumTest, ByName) {
  sql("INSERT INTO StringIds VALUES (9, 'ampere_sgemm_128x64_nn'), "
      "(10, 'ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn');");
  add({.start = 0, .end = 60, .name = 9});
  add({.start = 60, .end = 75, .name = 10});
  add({.start = 75, .end = 90, .name = 10});
  add({.start = 90, .end = 100});
  EXPECT_EQ(rows("tensor_core_sum"),
            (Lines{"60.0,60,1,eligible,GEMM,ampere_sgemm_128x64_nn",
                   "30.0,30,2,yes,GEMM,ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn",
                   "10.0,10,1,no,other,f(int)"}));
}

}  // namespace
}  // namespace prof::stats
