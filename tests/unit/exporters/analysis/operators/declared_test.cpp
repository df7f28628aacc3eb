#include "exporters/analysis/operators/declared.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "exporters/analysis/operators/names/argument_list.hpp"

namespace prof::operators {
namespace {

Declared declare(std::string_view name, std::string_view sizes, std::string_view arguments) {
  const std::vector<Shape> shapes = parse_shapes(sizes).value();
  return declared_by(name, shapes, arguments);
}

TEST(ArgumentList, HasTensorsAndValues) {
  const auto list = parse_arguments("[float32, float32 [1, 128], 3, [1, -1], True, None, inf, ?]");
  ASSERT_EQ(list.size(), 8u);
  EXPECT_EQ(list[0].type, "float32");
  EXPECT_EQ(list[0].value, "");
  EXPECT_EQ(list[1].type, "float32");
  EXPECT_EQ(list[1].value, "[1, 128]");
  EXPECT_EQ(parse_integers(list[2].value), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(parse_integers(list[3].value), (std::vector<std::int64_t>{1, -1}));
  EXPECT_EQ(parse_flags(list[4].value), std::vector<bool>{true});
  for (std::size_t i = 5; i < list.size(); ++i) {
    EXPECT_FALSE(list[i].is_tensor());
    EXPECT_FALSE(parse_integers(list[i].value));
    EXPECT_FALSE(parse_flags(list[i].value));
  }
  EXPECT_TRUE(parse_arguments("[]").empty());
}

TEST(ArgumentList, DoesNotTrustTexts) {
  for (const char* text : {"", "[", "]", "float32", "[a]]", "[[a]", "[], []]"})
    EXPECT_TRUE(parse_arguments(text).empty()) << text;
  EXPECT_FALSE(parse_integers("[1, x]"));
  EXPECT_FALSE(parse_integers("99999999999999999999"));
  EXPECT_FALSE(parse_flags("[True, 1]"));
}

TEST(Declared, TypesOfArguments) {
  EXPECT_EQ(declare("aten::mm", "[[2, 3], [3, 4]]", "[bfloat16, bfloat16]").type,
            ElementType::kBf16);
  EXPECT_EQ(declare("aten::index", "[[2], []]", "[int64, float32]").type, ElementType::kFp32);
  EXPECT_EQ(declare("aten::_scaled_mm", "[[2]]", "[float8_e4m3fn]").type, ElementType::kFp8);
  EXPECT_EQ(declare("aten::mm", "[[2, 3], [3, 4]]", "").type, ElementType::kUnknown);
}

TEST(Declared, ResultsOfConvolutions) {
  const char* const sizes = "[[2, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]";
  const Declared conv =
      declare("aten::convolution", sizes,
              "[float32, float32, None, [2, 2], [3, 3], [1, 1], False, [0, 0], 1]");
  EXPECT_EQ(conv.result, (Shape{2, 64, 112, 112}));
  EXPECT_EQ(conv.is_transposed, false);
  // cuDNN's padding comes before the stride.
  EXPECT_EQ(
      declare("aten::cudnn_convolution", "[[1, 4, 9, 9], [8, 2, 3, 3], [], [], [], [], [], [], []]",
              "[float16, float16, [0, 1], [2, 1], [1, 2], 2, True, False, True]")
          .result,
      (Shape{1, 8, 4, 7}));
  // One number for all dimensions.
  EXPECT_EQ(declare("aten::conv1d", "[[1, 4, 10], [8, 4, 3], [], [], [], [], []]",
                    "[float32, float32, None, [3], [0], [1], 1]")
                .result,
            (Shape{1, 8, 3}));
  const Declared transposed =
      declare("aten::convolution", sizes,
              "[float32, float32, None, [2, 2], [3, 3], [1, 1], True, [0, 0], 1]");
  EXPECT_EQ(transposed.is_transposed, true);
  EXPECT_FALSE(transposed.result);
}

TEST(Declared, ConvolutionsThatCannotBe) {
  const char* const sizes = "[[1, 1, 2, 2], [1, 1, 3, 3], [], [], [], [], []]";
  for (const char* arguments :
       {"[float32, float32, None, [1, 1], [0, 0], [1, 1], 1]",
        "[float32, float32, None, [0, 0], [9, 9], [1, 1], 1]",
        "[float32, float32, None, [1, 1], [-9, 0], [1, 1], 1]",
        "[float32, float32, None, [1, 1], ?, [1, 1], 1]",
        "[float32, float32, None, [1, 1, 1], [1, 1], [1, 1], 1]",
        "[float32, float32, None, [1, 1], [9223372036854775807, 1], [1, 1], 1]", "[float32]"})
    EXPECT_FALSE(declare("aten::conv2d", sizes, arguments).result) << arguments;
}

TEST(Declared, ResultsOfReductions) {
  const char* const sizes = "[[2, 3, 4], [], [], []]";
  EXPECT_EQ(declare("aten::sum", sizes, "[float32, [0, -1], False, None]").result, (Shape{3}));
  EXPECT_EQ(declare("aten::mean", sizes, "[float32, [1], True, None]").result, (Shape{2, 1, 4}));
  EXPECT_EQ(declare("aten::amax", "[[2, 3], [], []]", "[float32, [], False]").result, Shape{});
  EXPECT_EQ(declare("aten::argmax", "[[2, 3], [], []]", "[float32, 1, False]").result, Shape{2});
  EXPECT_FALSE(declare("aten::sum", "[[2, 3], []]", "[float32, None]").result);
  EXPECT_FALSE(declare("aten::relu", sizes, "[float32, [0], False, None]").result);
}

TEST(Declared, GradientsOfConvolutions) {
  const Declared backward =
      declare("aten::convolution_backward", "[[2, 8, 4, 4], [2, 3, 8, 8], [8, 3, 3, 3], [], []]",
              "[float32, float32, float32, [8], [False, True, True]]");
  ASSERT_TRUE(backward.gradients);
  EXPECT_FALSE(backward.gradients->of_input);
  EXPECT_TRUE(backward.gradients->of_weight);
}

}  // namespace
}  // namespace prof::operators
