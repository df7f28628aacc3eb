#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/analysis/operators/operator_fixture.hpp"

namespace prof::stats {
namespace {

class OperatorStatistics : public test::OperatorFixture {
 protected:
  OperatorStatistics() {
    add_gpu(9, 0, 132);
    add_training_step();
  }
  tables::Table table(const char* name, const char* words = "") {
    const auto file = reader();
    const Statistic* statistic = find_statistic(name);
    auto result = run(*statistic, file, parse_arguments(words, statistic->takes).value());
    if (!result) ADD_FAILURE() << result.error().message;
    return std::move(*result);
  }
  // The cell of a row in the column with this header.
  static tables::Cell at(const tables::Table& table, std::size_t row, std::string_view header) {
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].header == header) return table.rows.at(row).at(i);
    throw std::runtime_error("no column " + std::string(header));
  }
  static std::int64_t integer(const tables::Table& table, std::size_t row,
                              std::string_view header) {
    return std::get<std::int64_t>(at(table, row, header));
  }
  static std::string text(const tables::Table& table, std::size_t row, std::string_view header) {
    return std::string(std::get<tables::Text>(at(table, row, header)).view());
  }
  static std::int64_t sum(const tables::Table& table, std::string_view header) {
    std::int64_t result = 0;
    for (std::size_t row = 0; row < table.rows.size(); ++row) result += integer(table, row, header);
    return result;
  }
};

constexpr std::int64_t kTotal = 500 + 30 + 400 + 450 + 70 + 11 + 3;

TEST_F(OperatorStatistics, SumsAddUpToTheTimeOfAllKernels) {
  for (const char* by : {"", "name", "module", "category"})
    EXPECT_EQ(sum(table("operator_sum", by), "Total Time (ns)"), kTotal) << by;
  EXPECT_EQ(sum(table("operator_trace"), "GPU Time (ns)"), kTotal);
  EXPECT_EQ(sum(table("module_tree"), "Self Time (ns)"), kTotal);
}

TEST_F(OperatorStatistics, OperatorSumHasWorkAndLimits) {
  const tables::Table sums = table("operator_sum");
  EXPECT_EQ(text(sums, 0, "Operator"), "aten::addmm");
  EXPECT_EQ(integer(sums, 0, "Total Time (ns)"), 530);
  EXPECT_EQ(integer(sums, 0, "GPU Operations"), 2);
  EXPECT_EQ(integer(sums, 0, "Matrix FLOPs"), 65536);
  EXPECT_EQ(integer(sums, 0, "Vector FLOPs"), 512);
  EXPECT_EQ(integer(sums, 0, "Bytes"), 2 * (32 * 64 + 64 * 16 + 32 * 16 + 16));
  EXPECT_DOUBLE_EQ(std::get<double>(at(sums, 0, "TFLOP/s")), (65536 + 512) / 530.0 / 1000);
  EXPECT_DOUBLE_EQ(std::get<double>(at(sums, 0, "GB/s")), 7200 / 530.0);
  EXPECT_EQ(text(sums, 0, "Bound"), "neither");
  // The traffic takes 7200 B / 3352.32 GB/s = 2.15 ns.
  EXPECT_NEAR(std::get<double>(at(sums, 0, "Roof (%)")), 100 * 7200 / 3352.32 / 530, 1e-9);
  EXPECT_EQ(text(sums, 0, "Module"), "Net > Linear");
  EXPECT_EQ(text(sums, 0, "Tensor Cores"), "yes");
  EXPECT_EQ(text(sums, 1, "Direction"), "backward");
}

TEST_F(OperatorStatistics, GroupsHaveOnlyWhatTheyHaveInCommon) {
  const tables::Table names = table("operator_sum", "name");
  EXPECT_EQ(text(names, 0, "Operator"), "aten::mm");
  EXPECT_EQ(integer(names, 0, "Calls"), 2);
  EXPECT_EQ(integer(names, 0, "Matrix FLOPs"), 2 * 65536);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(at(names, 0, "Shapes")));
  const tables::Table categories = table("operator_sum", "category");
  EXPECT_EQ(text(categories, 0, "Category"), "matrix product");
  EXPECT_EQ(integer(categories, 0, "Total Time (ns)"), 1380);
}

TEST_F(OperatorStatistics, UnknownWorkIsEmpty) {
  const tables::Table sums = table("operator_sum");
  const std::size_t last = sums.rows.size() - 1;
  EXPECT_EQ(text(sums, last, "Operator"), "unknown launch<float>");
  EXPECT_EQ(text(sums, last, "Source"), "name");
  for (const char* header : {"Matrix FLOPs", "Vector FLOPs", "Bytes", "TFLOP/s", "Bound"})
    EXPECT_TRUE(std::holds_alternative<std::monostate>(at(sums, last, header))) << header;
}

TEST_F(OperatorStatistics, ModuleTreeIsInclusive) {
  const tables::Table tree = table("module_tree");
  EXPECT_EQ(text(tree, 0, "Module"), "Net");
  EXPECT_EQ(integer(tree, 0, "Total Time (ns)"), 1380);
  EXPECT_EQ(integer(tree, 0, "Self Time (ns)"), 0);
  EXPECT_EQ(integer(tree, 0, "Forward (ns)"), 530);
  EXPECT_EQ(integer(tree, 0, "Backward (ns)"), 850);
  EXPECT_EQ(integer(tree, 0, "Matrix FLOPs"), 3 * 65536);
  EXPECT_EQ(text(tree, 1, "Module"), "  Linear");
  EXPECT_EQ(integer(tree, 1, "Self Time (ns)"), 1380);
  EXPECT_EQ(text(tree, 2, "Module"), "SGD.step");
  EXPECT_EQ(integer(tree, 2, "Step (ns)"), 70);
  EXPECT_EQ(text(tree, 3, "Module"), "[outside of modules]");
  EXPECT_EQ(integer(tree, 3, "Total Time (ns)"), 14);
}

TEST_F(OperatorStatistics, TheTraceHasEachCall) {
  const tables::Table trace = table("operator_trace");
  ASSERT_EQ(trace.rows.size(), 6u);
  EXPECT_EQ(integer(trace, 0, "Start (ns)"), 1140);
  EXPECT_EQ(integer(trace, 0, "Duration (ns)"), 500);  // the kernels overlap
  EXPECT_EQ(integer(trace, 0, "GPU Time (ns)"), 530);
  EXPECT_EQ(text(trace, 0, "Operator"), "aten::addmm");
  EXPECT_EQ(text(trace, 0, "Called As"), "aten::linear");
}

}  // namespace
}  // namespace prof::stats
