#include "injection/python/operators/argument_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/injection/python/operators/made_up_torch.hpp"

namespace prof::test {
namespace {

using python::ArgumentText;

class ArgumentTexts : public testing::Test {
 protected:
  ArgumentTexts() {
    std::strcpy(types_.names[6], "float32");
    std::strcpy(types_.names[4], "int64");
  }
  std::string write(const std::vector<Value>& arguments, bool has_values = true) const {
    const MadeUpFunction function(arguments);
    char buffer[4096];
    const std::size_t length = ArgumentText(kMadeUp, types_, function.words, "aten::f", has_values)
                                   .write(buffer, sizeof buffer);
    return {buffer, length};
  }
  std::uint64_t key(const std::vector<Value>& arguments, bool has_values = true,
                    const char* name = "aten::f") const {
    const MadeUpFunction function(arguments);
    return ArgumentText(kMadeUp, types_, function.words, name, has_values).key();
  }

  python::TorchTypes types_ = {};
  MadeUpTensor dense_{6, {2, 3}, {3, 1}};
  MadeUpTensor turned_{6, {3, 2}, {1, 3}};
  MadeUpTensor large_{4, {1, 2, 3, 4, 5, 6}, {720, 360, 120, 30, 6, 1}};
  MadeUpTensor unnamed_{63, {5}, {1}};
};

TEST_F(ArgumentTexts, TensorsNumbersAndLists) {
  const MadeUpList numbers{integer(1), integer(-1)};
  const MadeUpList flags{flag(true), flag(false)};
  EXPECT_EQ(write({dense_.value(),
                   turned_.value(),
                   large_.value(),
                   unnamed_.value(),
                   integer(3),
                   number(0.5),
                   flag(true),
                   none(),
                   numbers.value(),
                   flags.value(),
                   {1, 99, 0}}),
            "aten::f, sizes = [[2, 3], [3, 2], [1, 2, 3, 4, 5, 6], [5], [], [], [], [], [], [], "
            "[]], arguments = [float32, float32 [1, 3], int64, tensor, 3, 0.5, True, None, [1, "
            "-1], [True, False], ?]");
  EXPECT_EQ(write({}), "aten::f, sizes = [], arguments = []");
}

// The ranges of emit_nvtx count them in the same way.
TEST_F(ArgumentTexts, AListOfTensorsIsThatManyArguments) {
  const MadeUpList tensors{dense_.value(), turned_.value()};
  const MadeUpList mixed{none(), dense_.value()};
  const MadeUpList empty{};
  EXPECT_EQ(write({tensors.value(), mixed.value(), empty.value()}),
            "aten::f, sizes = [[2, 3], [3, 2], [], []], arguments = [float32, float32 [1, 3], "
            "[None, float32], []]");
}

TEST_F(ArgumentTexts, SpecialTensorsHaveNoSizes) {
  dense_.make_special();
  EXPECT_EQ(write({dense_.value()}), "aten::f, sizes = [[]], arguments = [tensor]");
}

TEST_F(ArgumentTexts, WithoutValues) {
  const MadeUpList numbers{integer(1), integer(2)};
  EXPECT_EQ(write({dense_.value(), integer(3), numbers.value()}, false),
            "aten::f, sizes = [[2, 3], [], []], arguments = [float32, ?, [?, ?]]");
  EXPECT_EQ(key({integer(3)}, false), key({integer(4)}, false));
}

TEST_F(ArgumentTexts, ATextThatDoesNotFitIsNotWritten) {
  std::vector<Value> many(2000, dense_.value());
  EXPECT_EQ(write(many), "");
}

TEST_F(ArgumentTexts, KeysTellTextsApart) {
  const MadeUpTensor same(6, {2, 3}, {3, 1});
  const MadeUpTensor other_type(7, {2, 3}, {3, 1});
  const MadeUpTensor other_strides(6, {2, 3}, {1, 2});
  const std::uint64_t first = key({dense_.value(), integer(1)});
  EXPECT_EQ(first, key({same.value(), integer(1)}));
  EXPECT_NE(first, key({other_type.value(), integer(1)}));
  EXPECT_NE(first, key({other_strides.value(), integer(1)}));
  EXPECT_NE(first, key({turned_.value(), integer(1)}));
  EXPECT_NE(first, key({dense_.value(), integer(2)}));
  EXPECT_NE(first, key({dense_.value(), number(1)}));
  EXPECT_NE(first, key({dense_.value(), integer(1)}, true, "aten::g"));
  const MadeUpList one{integer(1)};
  const MadeUpList two{integer(2)};
  EXPECT_NE(key({one.value()}), key({two.value()}));
  // More words than are hashed at once.
  std::vector<Value> many(500, dense_.value());
  const std::uint64_t all = key(many);
  many[0] = turned_.value();
  EXPECT_NE(all, key(many));
}

}  // namespace
}  // namespace prof::test
