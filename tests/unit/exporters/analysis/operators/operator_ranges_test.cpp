// Ranges of --pytorch=operators: sequence numbers and threads are in payloads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "exporters/analysis/operators/operator_model.hpp"
#include "tests/unit/exporters/analysis/operators/operator_fixture.hpp"

namespace prof::operators {
namespace {

class ObservedOperators : public test::OperatorFixture {
 protected:
  static constexpr std::int64_t kOther = 11;  // a second thread of the program

  ObservedOperators() {
    sql("ALTER TABLE NVTX_EVENTS ADD COLUMN uint64Value;");
    sql(fmt::format(
        "INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'PyTorch operators', NULL, {}, 3, "
        "NULL, NULL);",
        test::global_id(kPid, kMain)));
  }
  // `thread` is PyTorch's number.
  void observed(std::int64_t tid, std::int64_t start, std::int64_t end, const std::string& text,
                std::int64_t sequence = -1, std::int64_t thread = 0) {
    const std::string payload =
        sequence < 0 ? "NULL" : std::to_string((thread << 40) + sequence + 1);
    sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({},{},59,'{}',NULL,{},3,NULL,{});", start, end,
                    text, test::global_id(kPid, tid), payload));
  }
  void in_module(std::int64_t tid, std::int64_t start, std::int64_t end, const std::string& name) {
    sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({},{},59,'{}.forward',NULL,{},1,NULL,NULL);",
                    start, end, name, test::global_id(kPid, tid)));
  }
  OperatorModel model() {
    const auto file = reader();
    auto model = OperatorModel::read(file, events::RangeOf::kBoth);
    if (!model) ADD_FAILURE() << model.error().message;
    return std::move(*model);
  }
  static const Operator& operator_of(const OperatorModel& model, std::int64_t gpu_time) {
    const auto found = std::ranges::find(model.calls(), gpu_time, &OperatorCall::gpu_time);
    if (found == model.calls().end()) throw std::runtime_error("no such call");
    return model.operator_of(*found);
  }
};

TEST_F(ObservedOperators, HaveTheTypeAndTheResultThatTheirArgumentsSay) {
  observed(kMain, 100, 200,
           "aten::convolution, sizes = [[2, 4, 6, 6], [8, 4, 3, 3], [], [], [], [], [], [], []], "
           "arguments = [bfloat16, bfloat16, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1]");
  launch(kMain, 120, 40, "a_kernel_without_types");
  const OperatorModel model = this->model();
  const Operator& conv = operator_of(model, 40);
  EXPECT_EQ(conv.name, "aten::convolution");
  EXPECT_EQ(conv.source, Source::kOperator);
  EXPECT_EQ(conv.type, ElementType::kBf16);
  EXPECT_EQ(conv.work.matrix_flops, 2 * 2 * 16 * 8 * 4 * 9);
}

// Kernels say which of the two types is multiplied.
TEST_F(ObservedOperators, MayMultiplyFp32AsTf32) {
  const std::string mm = "aten::mm, sizes = [[2, 3], [3, 4]], arguments = [float32, float32]";
  observed(kMain, 100, 200, mm);
  launch(kMain, 120, 40, "sm80_xmma_gemm_tf32f32_tf32f32_f32");
  observed(kMain, 300, 400, mm);
  launch(kMain, 320, 50, "volta_sgemm_64x64_nn");
  const OperatorModel model = this->model();
  EXPECT_EQ(operator_of(model, 40).type, ElementType::kTf32);
  EXPECT_EQ(operator_of(model, 50).type, ElementType::kFp32);
}

TEST_F(ObservedOperators, GradientsAreThoseOfTheMask) {
  for (const auto& [start, time, mask] :
       {std::tuple(100, 40, "[False, True, True]"), std::tuple(300, 50, "[True, True, False]")}) {
    observed(
        kBackward, start, start + 100,
        fmt::format("aten::convolution_backward, sizes = [[2, 8, 4, 4], [2, 4, 6, 6], [8, 4, 3, "
                    "3], []], arguments = [float16, float16, float16, {}]",
                    mask));
    launch(kBackward, start + 20, time, "convolve<half>");
  }
  const OperatorModel model = this->model();
  const std::int64_t flops = 2 * 2 * 16 * 8 * 4 * 9;
  EXPECT_EQ(operator_of(model, 40).work.matrix_flops, flops);
  EXPECT_EQ(operator_of(model, 50).work.matrix_flops, 2 * flops);
}

// Both threads count from 0.
TEST_F(ObservedOperators, NodesFindTheOperatorOfTheirThread) {
  const std::string sin = "aten::sin, sizes = [[4]], arguments = [float32]";
  in_module(kMain, 90, 200, "First");
  observed(kMain, 100, 190, sin, 0, 1);
  in_module(kOther, 90, 300, "Second");
  observed(kOther, 200, 290, sin, 0, 2);
  for (const std::int64_t thread : {1, 2}) {
    const std::int64_t start = 1000 * thread;
    observed(kBackward, start, start + 100, "SinBackward0, sizes = [[4]], arguments = [float32]", 0,
             thread);
    observed(kBackward, start + 10, start + 90, "aten::mul, sizes = [[4], [4]], arguments = []");
    launch(kBackward, start + 20, 40 + thread, "k<float>");
  }
  const OperatorModel model = this->model();
  EXPECT_EQ(operator_of(model, 41).direction, Direction::kBackward);
  EXPECT_EQ(model.scope_path(operator_of(model, 41).scope), "First");
  EXPECT_EQ(model.scope_path(operator_of(model, 42).scope), "Second");
}

}  // namespace
}  // namespace prof::operators
