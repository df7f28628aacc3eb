#include "exporters/analysis/operators/operator_model.hpp"

#include <algorithm>

#include "tests/unit/exporters/analysis/operators/operator_fixture.hpp"

namespace prof::operators {
namespace {

class OperatorModelTest : public test::OperatorFixture {
 protected:
  OperatorModel model() {
    const auto file = reader();
    auto model = OperatorModel::read(file, events::RangeOf::kBoth);
    if (!model) ADD_FAILURE() << model.error().message;
    return std::move(*model);
  }
  static const OperatorCall& call_of(const OperatorModel& model, std::int64_t gpu_time) {
    const auto found = std::ranges::find(model.calls(), gpu_time, &OperatorCall::gpu_time);
    if (found == model.calls().end()) throw std::runtime_error("no such call");
    return *found;
  }
  static const Operator& operator_of(const OperatorModel& model, std::int64_t gpu_time) {
    return model.operator_of(call_of(model, gpu_time));
  }
};

TEST_F(OperatorModelTest, GivesEachKernelToTheInnermostOperator) {
  add_training_step();
  const OperatorModel model = this->model();
  const Operator& addmm = operator_of(model, 530);  // two kernels
  EXPECT_EQ(addmm.name, "aten::addmm");
  EXPECT_EQ(addmm.outermost, "aten::linear");
  EXPECT_EQ(addmm.shapes, "[[16], [32, 64], [64, 16], [], []]");
  EXPECT_EQ(addmm.type, ElementType::kFp16);
  EXPECT_EQ(addmm.direction, Direction::kForward);
  EXPECT_EQ(model.scope_path(addmm.scope), "Net > Linear");
  EXPECT_EQ(addmm.work.matrix_flops, 2 * 32 * 64 * 16);
  EXPECT_EQ(call_of(model, 530).operations, 2);
}

TEST_F(OperatorModelTest, FindsTheModuleOfABackwardPassByItsSequenceNumber) {
  add_training_step();
  const OperatorModel model = this->model();
  for (const std::int64_t time : {400, 450}) {
    const Operator& mm = operator_of(model, time);
    EXPECT_EQ(mm.name, "aten::mm");
    EXPECT_EQ(mm.direction, Direction::kBackward);
    EXPECT_EQ(model.scope_path(mm.scope), "Net > Linear");
    EXPECT_EQ(mm.work.matrix_flops, 2 * 32 * 64 * 16);
  }
  EXPECT_EQ(model.ranges().name(call_of(model, 400).forward), "aten::addmm");
}

TEST_F(OperatorModelTest, TakesTheLastOperatorBeforeTheBackwardPass) {
  module(kMain, 10, 20, "Early.forward");
  op(kMain, 12, 18, "aten::relu, seq = 3, op_id = 1, sizes = [[4]]");
  module(kMain, 30, 40, "Late.forward");
  op(kMain, 32, 38, "aten::tanh, seq = 3, op_id = 2, sizes = [[4]]");
  op(kBackward, 50, 60, "TanhBackward0, seq = 3, op_id = 3, sizes = [[4]]");
  op(kBackward, 52, 58, "aten::tanh_backward, op_id = 4, sizes = [[4], [4]]");
  launch(kBackward, 54, 7, "k<float>");
  module(kMain, 70, 80, "After.forward");
  op(kMain, 72, 78, "aten::relu, seq = 3, op_id = 5, sizes = [[4]]");
  const OperatorModel model = this->model();
  EXPECT_EQ(model.scope_path(operator_of(model, 7).scope), "Late");
}

TEST_F(OperatorModelTest, KnowsStepsAndRecomputation) {
  add_training_step();
  op(kBackward, 900, 999, "CheckpointFunctionBackward, seq = 9, op_id = 30, sizes = [[4]]");
  module(kBackward, 910, 990, "Block.forward");
  op(kBackward, 920, 980, "aten::relu, seq = 1, op_id = 31, sizes = [[4]]");
  launch(kBackward, 930, 17, "k<float>");
  const OperatorModel model = this->model();
  EXPECT_EQ(operator_of(model, 70).direction, Direction::kStep);
  EXPECT_EQ(model.scope_path(operator_of(model, 70).scope), "SGD.step");
  EXPECT_EQ(operator_of(model, 17).direction, Direction::kRecompute);
  EXPECT_EQ(model.scope_path(operator_of(model, 17).scope), "Block");
}

TEST_F(OperatorModelTest, HasEachOperationOnce) {
  add_training_step();
  const OperatorModel model = this->model();
  std::int64_t of_operations = 0;
  for (const GpuOperation& each : model.operations()) of_operations += each.duration();
  std::int64_t of_calls = 0;
  for (const OperatorCall& each : model.calls()) of_calls += each.gpu_time;
  EXPECT_EQ(of_operations, 500 + 30 + 400 + 450 + 70 + 11 + 3);
  EXPECT_EQ(of_calls, of_operations);
}

TEST_F(OperatorModelTest, NamesWhatIsKnownBest) {
  add_training_step();
  sql("INSERT INTO StringIds VALUES (50, 'cublasSgemm_v2'), (51, 'cublasLtMatmul');"
      "CREATE TABLE CUBLAS_EVENTS (start, end, eventClass, globalTid, nameId);");
  sql(fmt::format("INSERT INTO CUBLAS_EVENTS VALUES (800,830,29,{0},50),(805,825,29,{0},51);",
                  test::global_id(kPid, kMain)));
  launch(kMain, 810, 13, "gemm<float>");
  module(kMain, 840, 860, "Mine.forward");
  launch(kMain, 850, 19, "in module<float>");
  op(kMain, 870, 890, "load 7");
  launch(kMain, 880, 23, "in range<float>");
  const OperatorModel model = this->model();
  const auto source = [&](std::int64_t time) { return operator_of(model, time).source; };
  EXPECT_EQ(source(530), Source::kOperator);
  EXPECT_EQ(source(13), Source::kLibrary);
  EXPECT_EQ(operator_of(model, 13).name, "cublasSgemm_v2");
  EXPECT_EQ(source(19), Source::kModule);
  EXPECT_EQ(source(23), Source::kRange);
  EXPECT_EQ(model.scope_path(operator_of(model, 23).scope), "load #");
  EXPECT_EQ(source(11), Source::kName);
  EXPECT_EQ(operator_of(model, 11).name, "mine<float>");
  EXPECT_EQ(source(3), Source::kName);
  EXPECT_EQ(operator_of(model, 3).work.matrix_flops, std::nullopt);
}

TEST_F(OperatorModelTest, CompiledKernelsNameTheirOperators) {
  op(kMain, 90, 300, "Torch-Compiled Region: 0/1, op_id = 1");
  op(kMain, 100, 200, "CompiledFunction, seq = 3, op_id = 2, sizes = [[8, 8]]");
  launch(kMain, 110, 21, "triton_poi_fused_add_relu_0");
  launch(kMain, 120, 22, "triton_red_fused_sum_threshold_backward_1");
  op(kMain, 130, 140, "aten::mm, op_id = 3, sizes = [[8, 8], [8, 8]]");
  launch(kMain, 132, 23, "gemm<float>");
  launch(kMain, 400, 24, "loop_add_multiply_fusion_3");
  const OperatorModel model = this->model();
  EXPECT_EQ(model.calls().size(), 4u);
  const Operator& relu = operator_of(model, 21);
  EXPECT_EQ(relu.source, Source::kCompiled);
  EXPECT_EQ(relu.name, "aten::add + aten::relu");
  EXPECT_EQ(relu.outermost, "triton_poi_fused_add_relu_0");
  EXPECT_STREQ(relu.work.category, "elementwise");
  EXPECT_EQ(relu.direction, Direction::kForward);
  EXPECT_EQ(model.scope_path(relu.scope), "Torch-Compiled Region: #/#");
  EXPECT_EQ(operator_of(model, 22).direction, Direction::kBackward);
  EXPECT_EQ(operator_of(model, 23).name, "aten::mm");
  EXPECT_EQ(operator_of(model, 24).name, "add + multiply");
}

TEST_F(OperatorModelTest, RangesOfXlaAreOperatorsAndModules) {
  sql("INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'TSL', NULL, " +
      std::to_string(test::global_id(kPid, kMain)) + ", 2, NULL);");
  xla(kMain, 100, 300, "XlaModule:#hlo_module=jit_step,program_id=4#");
  xla(kMain, 110, 150, "Thunk:#hlo_op=fusion.3,unique_hlo_op_id=9#");
  launch(kMain, 120, 21, "loop_add_fusion_3");
  launch(kMain, 130, 22, "memset<float>");
  xla(kMain, 160, 170, "Thunk:#name=jit(step)/dot_general,hlo_op=cublas-gemm.1#");
  launch(kMain, 165, 500, "ampere_fp16_s16816gemm_fp16_64x64_tn");
  const OperatorModel model = this->model();
  EXPECT_EQ(operator_of(model, 43).name, "fusion.3");
  EXPECT_EQ(operator_of(model, 43).source, Source::kOperator);
  EXPECT_EQ(operator_of(model, 500).name, "cublas-gemm.1");
  EXPECT_EQ(model.scope_path(operator_of(model, 500).scope), "jit_step");
}

TEST_F(OperatorModelTest, MayBeThatOfAWindow) {
  add_training_step();
  const auto file = reader();
  const auto model = OperatorModel::read(file, events::RangeOf::kBoth, {{1'400, 1'500}});
  ASSERT_TRUE(model);
  std::vector<std::int64_t> times;
  for (const OperatorCall& call : model->calls()) times.push_back(call.gpu_time);
  // The first forward kernel ends in the window, and others begin in it. Their ranges ended before.
  EXPECT_EQ(times, (std::vector<std::int64_t>{500, 400, 450}));
  for (const OperatorCall& call : model->calls())
    EXPECT_EQ(model->operator_of(call).source, Source::kOperator);
}

TEST_F(OperatorModelTest, FindsTheResultOfAConvolutionByItsUse) {
  const std::string conv = "[[2, 4, 6, 6], [8, 4, 3, 3], [], [], [], [], []]";
  op(kMain, 100, 190, "aten::conv2d, seq = 1, op_id = 1, sizes = " + conv);
  op(kMain, 110, 180, "aten::cudnn_convolution, op_id = 2, sizes = " + conv);
  launch(kMain, 120, 40, "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc");
  op(kMain, 200, 220,
     "aten::relu, seq = 2, op_id = 3, sizes = [[2, 8, 4, 4]], input_op_ids = [(1,0)]");
  const OperatorModel model = this->model();
  EXPECT_EQ(operator_of(model, 40).work.matrix_flops, 2 * 2 * 16 * 8 * 4 * 9);
}

TEST_F(OperatorModelTest, KnowsWhichGradientsOfAConvolutionWereComputed) {
  const std::string text =
      "aten::convolution_backward, op_id = {}, sizes = [[2, 8, 4, 4], [2, 4, 6, 6], [8, 4, 3, 3]]";
  const std::int64_t flops = 2 * 2 * 16 * 8 * 4 * 9;
  // The kernels tell.
  op(kBackward, 10, 20, fmt::format(fmt::runtime(text), 1));
  launch(kBackward, 12, 31, "xmma_wgrad_implicit_gemm_f16f16");
  // An operator uses the second result, none the first.
  op(kBackward, 30, 40, fmt::format(fmt::runtime(text), 2));
  launch(kBackward, 32, 37, "convolve<half>");
  op(kBackward, 42, 43, "aten::detach, op_id = 3, sizes = [[8, 4, 3, 3]], input_op_ids = [(2,1)]");
  // Nothing tells: both.
  op(kBackward, 50, 60, fmt::format(fmt::runtime(text), 4));
  launch(kBackward, 52, 41, "convolve<half>");
  const OperatorModel model = this->model();
  EXPECT_EQ(operator_of(model, 31).work.matrix_flops, flops);
  EXPECT_EQ(operator_of(model, 37).work.matrix_flops, flops);
  EXPECT_EQ(operator_of(model, 41).work.matrix_flops, 2 * flops);
}

TEST_F(OperatorModelTest, ReadsReportsWithoutRanges) {
  sql("DROP TABLE NVTX_EVENTS");
  launch(kMain, 10, 5, "k<float>");
  const OperatorModel model = this->model();
  ASSERT_EQ(model.calls().size(), 1u);
  EXPECT_EQ(operator_of(model, 5).source, Source::kName);
}

TEST_F(OperatorModelTest, DoesNotTrustTexts) {
  op(kMain, 10, 20, "aten::mm, op_id = 1, sizes = [[9223372036854775807, 9], [9, 9]]");
  launch(kMain, 12, 5, "gemm<float>");
  op(kMain, 30, 40, "aten::mm, op_id = 1, sizes = [[");
  launch(kMain, 32, 6, "gemm<float>");
  const OperatorModel model = this->model();
  EXPECT_EQ(operator_of(model, 5).work.matrix_flops, std::nullopt);
  EXPECT_EQ(operator_of(model, 6).work.matrix_flops, std::nullopt);
  EXPECT_STREQ(operator_of(model, 6).work.category, "matrix product");
}

}  // namespace
}  // namespace prof::operators
