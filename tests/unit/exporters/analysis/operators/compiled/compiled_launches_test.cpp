#include "exporters/analysis/operators/compiled/compiled_launches.hpp"

#include <algorithm>

#include "exporters/analysis/operators/operator_model.hpp"
#include "tests/unit/exporters/analysis/operators/operator_fixture.hpp"

namespace prof::operators {
namespace {

class CompiledLaunchesTest : public test::OperatorFixture {
 protected:
  static constexpr const char* kAdd = "triton_poi_fused_add_relu_0";
  static constexpr const char* kOther = "triton_poi_fused_mul_1";

  // Lines of the file c.py: 31 and 35 launch the same kernel, 32 one of another file's name, 33
  // calls an operator. The chain of line N has the id N.
  CompiledLaunchesTest() {
    sql("CREATE TABLE PROF_COMPILED_LAUNCHES (globalPid, fileId, line, definitionLine, kernelId, "
        "operatorsId, graphId, inputsId, outputsId, bytesRead, bytesWritten, elementCount, "
        "isBackward);"
        "CREATE TABLE CUDA_CALLCHAINS (id, symbol, module, stackDepth, line);"
        "INSERT INTO StringIds VALUES (900, '/t/c.py'), (901, 'triton_poi_fused_add_relu_0'), "
        "(902, 'aten::relu + aten::add'), (904, 'float32 [8, 512], float32 [512]'), "
        "(905, 'triton_poi_fused_mul_1'), (906, 'aten::mul'), (907, 'extern_kernels.mm'), "
        "(908, 'aten::mm'), (910, 'float32 ?'), (911, '/torch/run.py:7'), (912, 'call'), "
        "(903, 'aten::relu, sizes = [[8, 512]], arguments = [float32] -> float32 [8, 512]"
        "\naten::add, sizes = [[8, 512], [512]], arguments = [float32, float32] -> float32 "
        "[8, 512]\n'), "
        "(909, 'aten::mm, sizes = [[8, 512], [512, 16]], arguments = [float16, float16] -> "
        "float16 [8, 16]\n');");
    for (const int line : {31, 35}) launch_line(line, "3,901,902,903,904,NULL,18432,16384,4096,0");
    launch_line(32, "4,905,906,NULL,910,NULL,NULL,NULL,NULL,NULL");
    launch_line(34, "4,905,906,NULL,904,NULL,NULL,NULL,NULL,NULL");
    launch_line(33, "NULL,907,908,909,NULL,NULL,NULL,NULL,NULL,1");
  }

  void launch_line(int line, const std::string& content) {
    sql(
        fmt::format("INSERT INTO PROF_COMPILED_LAUNCHES VALUES ({0},900,{1},{2});"
                    "INSERT INTO StringIds VALUES (9{1:03}, '/t/c.py:{1}');"
                    "INSERT INTO CUDA_CALLCHAINS VALUES ({1},912,911,0,7),({1},912,9{1:03},1,{1});",
                    test::global_id(kPid, 0), line, content));
  }
  // A launch in a line; 0: without a chain.
  void launch_in(int line, std::int64_t time, std::int64_t duration, const std::string& kernel) {
    const std::int64_t id = launch(kMain, time, duration, kernel);
    if (line != 0)
      sql(
          fmt::format("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = {} WHERE "
                      "correlationId = {};",
                      line, id));
  }
  OperatorModel model() {
    // A report has each text once.
    sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = (SELECT min(b.id) FROM StringIds a "
        "JOIN StringIds b ON b.value = a.value WHERE a.id = demangledName);");
    const auto file = reader();
    auto model = OperatorModel::read(file, events::RangeOf::kBoth);
    if (!model) throw std::runtime_error(model.error().message);
    return std::move(*model);
  }
  static const OperatorCall& call_of(const OperatorModel& model, std::int64_t gpu_time) {
    const auto found = std::ranges::find(model.calls(), gpu_time, &OperatorCall::gpu_time);
    if (found == model.calls().end()) throw std::runtime_error("no such call");
    return *found;
  }
};

TEST_F(CompiledLaunchesTest, GiveKernelsTheirOperatorsByTheLine) {
  launch_in(31, 100, 11, kAdd);
  launch_in(35, 200, 12, kAdd);
  const OperatorModel model = this->model();
  ASSERT_EQ(model.operators().size(), 1U) << "equal launches are calls of one operator";
  const Operator& fused = model.operators().front();
  EXPECT_EQ(fused.name, "aten::relu + aten::add");
  EXPECT_EQ(fused.outermost, kAdd);
  EXPECT_EQ(fused.shapes, "[[8, 512], [512]]");
  EXPECT_EQ(fused.source, Source::kCompiled);
  EXPECT_EQ(fused.type, ElementType::kFp32);
  EXPECT_STREQ(fused.work.category, "elementwise");
  EXPECT_EQ(fused.work.vector_flops, 2 * 8 * 512);
  EXPECT_EQ(fused.bytes, 18432 + 16384);
  EXPECT_EQ(fused.direction, Direction::kForward);
}

TEST_F(CompiledLaunchesTest, WithoutChainsNeedANameThatIsAlone) {
  launch_in(0, 100, 11, kAdd);
  launch_in(0, 200, 12, kOther);
  const OperatorModel model = this->model();
  EXPECT_EQ(model.operator_of(call_of(model, 11)).name, "aten::relu + aten::add");
  const Operator& by_name = model.operator_of(call_of(model, 12));
  EXPECT_EQ(by_name.name, "aten::mul") << "as its kernel says";
  EXPECT_EQ(by_name.shapes, "");
}

TEST_F(CompiledLaunchesTest, OfOtherKernelsInTheLineAreNotTaken) {
  launch_in(31, 100, 11, "mine<float>");
  launch_in(31, 200, 12, "triton_");  // the name that older versions give to all
  const OperatorModel model = this->model();
  EXPECT_EQ(model.operator_of(call_of(model, 11)).source, Source::kName);
  EXPECT_EQ(model.operator_of(call_of(model, 12)).name, "aten::relu + aten::add");
}

TEST_F(CompiledLaunchesTest, ThatCallAnOperatorHaveAllItsKernels) {
  launch_in(33, 100, 50, "ampere_fp16_s16816gemm_fp16_64x64_tn");
  launch_in(33, 110, 5, "splitKreduce_kernel");
  launch_in(33, 200, 60, "ampere_fp16_s16816gemm_fp16_64x64_tn");
  launch_in(31, 300, 7, kAdd);
  launch_in(33, 400, 80, "splitKreduce_kernel");
  const OperatorModel model = this->model();
  const Operator& mm = model.operator_of(call_of(model, 55));
  EXPECT_EQ(mm.name, "aten::mm");
  EXPECT_EQ(mm.outermost, "extern_kernels.mm");
  EXPECT_EQ(mm.shapes, "[[8, 512], [512, 16]]");
  EXPECT_EQ(mm.type, ElementType::kFp16);
  EXPECT_EQ(mm.direction, Direction::kBackward);
  EXPECT_EQ(mm.work.matrix_flops, 2 * 8 * 512 * 16);
  EXPECT_EQ(model.operator_of(call_of(model, 60)).name, "aten::mm");
  EXPECT_EQ(model.operator_of(call_of(model, 80)).name, "aten::mm");
}

TEST_F(CompiledLaunchesTest, LeaveOperatorsTheirRanges) {
  op(kMain, 90, 110, "aten::mm, op_id = 3, sizes = [[4, 4], [4, 4]]");
  launch_in(33, 100, 50, "ampere_fp16_s16816gemm_fp16_64x64_tn");
  op(kMain, 190, 210, "CompiledFunction, op_id = 4, sizes = [[4, 4]]");
  launch_in(31, 200, 60, kAdd);
  const OperatorModel model = this->model();
  EXPECT_EQ(model.operator_of(call_of(model, 50)).source, Source::kOperator);
  EXPECT_EQ(model.operator_of(call_of(model, 50)).shapes, "[[4, 4], [4, 4]]");
  EXPECT_EQ(model.operator_of(call_of(model, 60)).source, Source::kCompiled);
}

}  // namespace
}  // namespace prof::operators
