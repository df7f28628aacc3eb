#include "exporters/analysis/operators/names/range_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "exporters/analysis/operators/names/range_kinds.hpp"

namespace prof::operators {
namespace {

TEST(RangeText, HasThePartsOfAnOperator) {
  const RangeText text = parse_range_text(
      "aten::addmm, seq = 6, op_id = 32, sizes = [[10], [2, 128], [128, 10], [], []], "
      "input_op_ids = [(0,-1), (26,0), (29,0), (0,-1), (0,-1)]");
  EXPECT_EQ(text.name, "aten::addmm");
  EXPECT_EQ(text.sequence, 6);
  EXPECT_EQ(text.op_id, 32);
  EXPECT_EQ(parse_shapes(text.sizes), (std::vector<Shape>{{10}, {2, 128}, {128, 10}, {}, {}}));
  const std::vector<TensorSource> sources = parse_sources(text.sources);
  ASSERT_EQ(sources.size(), 5u);
  EXPECT_EQ(sources[1].op_id, 26);
  EXPECT_EQ(sources[1].output, 0);
  EXPECT_EQ(sources[0].output, -1);
}

TEST(RangeText, MayHaveEqualsSignsInNames) {
  const RangeText text = parse_range_text("= a=b, x = 3, sizes= , op_id = 4, sizes = [[1]]");
  EXPECT_EQ(text.name, "= a=b, x = 3, sizes= ");
  EXPECT_EQ(text.op_id, 4);
  EXPECT_EQ(text.sizes, "[[1]]");
  EXPECT_EQ(parse_range_text("sizes = [[1]]").name, "sizes = [[1]]");
  EXPECT_EQ(parse_range_text("a, sizes =").name, "a, sizes =");
}

TEST(RangeText, MayHaveFewerParts) {
  EXPECT_EQ(parse_range_text("aten::relu").name, "aten::relu");
  EXPECT_EQ(parse_range_text("aten::relu").sequence, -1);
  const RangeText node =
      parse_range_text("autograd::engine::evaluate_function: AddmmBackward0, op_id = 56");
  EXPECT_EQ(node.name, "autograd::engine::evaluate_function: AddmmBackward0");
  EXPECT_EQ(node.op_id, 56);
  EXPECT_EQ(parse_range_text("step, 3").name, "step, 3");
}

TEST(RangeText, LeavesOutWhatIsNotANumber) {
  EXPECT_EQ(parse_range_text("a, seq = x").name, "a, seq = x");
  EXPECT_EQ(parse_range_text("a, seq = 99999999999999999999").sequence, -1);
  EXPECT_EQ(parse_range_text("a, op_id = ").op_id, 0);
}

TEST(RangeText, RefusesOtherLists) {
  for (const char* text : {"", "[", "[]x", "[[1, 2]", "[[1,2]]", "[[-1]]", "[[1, ]]", "[[x]]",
                           "[1, 2]", "[[99999999999999999999]]", "[[1], ]"})
    EXPECT_FALSE(parse_shapes(text)) << text;
  EXPECT_EQ(parse_shapes("[]"), std::vector<Shape>{});
  EXPECT_EQ(parse_shapes("[[9223372036854775807]]"), (std::vector<Shape>{{INT64_MAX}}));
  std::string deep = "[[1";
  for (int i = 0; i < 10'000; ++i) deep += ", 1";
  EXPECT_FALSE(parse_shapes(deep + "]]"));
  for (const char* text : {"", "[", "[(1,2)", "[(1, 2)]", "[(1)]", "[(,)]"})
    EXPECT_TRUE(parse_sources(text).empty()) << text;
}

TEST(RangeKinds, AreFoundByTheName) {
  const auto kind = [](const char* name) { return classify(name).kind; };
  EXPECT_EQ(kind(":aten::mm, seq = 1"), RangeKind::kOperator);
  EXPECT_EQ(kind(":aten::mm"), RangeKind::kOperator);
  EXPECT_EQ(kind(":torchvision::nms, op_id = 4"), RangeKind::kOperator);
  EXPECT_EQ(kind(":nccl:all_reduce, op_id = 4"), RangeKind::kOperator);
  EXPECT_EQ(kind(":MyFunction, seq = 3, op_id = 4"), RangeKind::kOperator);
  EXPECT_EQ(kind(":MmBackward0, seq = 5, op_id = 2"), RangeKind::kBackwardNode);
  EXPECT_EQ(kind(":autograd::engine::evaluate_function: MmBackward0, op_id = 2"),
            RangeKind::kBackwardNode);
  EXPECT_EQ(kind(":torch::autograd::AccumulateGrad, op_id = 2"), RangeKind::kBackwardNode);
  EXPECT_EQ(kind(":my label, op_id = 4"), RangeKind::kOther);
  EXPECT_EQ(kind(":std::sort"), RangeKind::kOther);
  EXPECT_EQ(kind(":step 3"), RangeKind::kOther);
  EXPECT_EQ(kind("mine:aten::mm, seq = 1"), RangeKind::kOther);
  EXPECT_EQ(kind("PyTorch:torch.Tensor.backward"), RangeKind::kOther);
  EXPECT_EQ(classify("PyTorch:Linear.forward").name, "Linear");
  EXPECT_EQ(kind("PyTorch:Linear.forward"), RangeKind::kModule);
  EXPECT_EQ(classify("PyTorch:Linear.forward, sizes = [[2, 3]], parameters = [[4, 3]]").name,
            "Linear");
  EXPECT_EQ(classify(":Optimizer.step#Adam.step, op_id = 3").name, "Adam.step");
  EXPECT_EQ(kind(":Optimizer.step#Adam.step, op_id = 3"), RangeKind::kStep);
  EXPECT_EQ(kind("PyTorch:Adam.step"), RangeKind::kStep);
  EXPECT_EQ(kind(""), RangeKind::kOther);
  EXPECT_EQ(kind("TSL:Thunk:#hlo_op=fusion.3,unique_hlo_op_id=7#"), RangeKind::kOperator);
  EXPECT_EQ(classify("TSL:Thunk:#hlo_op=fusion.3,unique_hlo_op_id=7#").name, "fusion.3");
  EXPECT_EQ(classify("TSL:Thunk:#name=jit(f)/dot_general,hlo_op=dot.5#").name, "dot.5");
  EXPECT_EQ(kind("TSL:XlaModule:#prefix=jit(f)/,hlo_module=jit_f,program_id=5#"),
            RangeKind::kModule);
  EXPECT_EQ(classify("TSL:XlaModule:#hlo_module=jit_f,program_id=5#").name, "jit_f");
  EXPECT_EQ(kind("TSL:Thunk:#"), RangeKind::kOther);
  EXPECT_EQ(kind("TSL:PjRt"), RangeKind::kOther);
}

}  // namespace
}  // namespace prof::operators
