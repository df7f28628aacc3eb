#include "exporters/analysis/events/nvtx/range_names.hpp"

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::events {
namespace {

using Names = std::vector<std::string>;

class RangeNamesTest : public test::ReportFixture {
 protected:
  RangeNamesTest() {
    create_ranges();
    add_range(0, "10", 9, "f");
    // start, end, eventType, text, textId, globalTid, domainId, endGlobalTid
    sql("INSERT INTO NVTX_EVENTS VALUES (1, 2, 60, NULL, 3, 0, 0, NULL), "
        "(1, 2, 59, NULL, 3, 0, 5, NULL), (1, 2, 59, NULL, 99, 0, 5, NULL), "
        "(1, 2, 59, NULL, NULL, 0, 6, NULL), (0, NULL, 75, 'NCCL', NULL, 0, 5, NULL), "
        "(1, NULL, 59, 'never ended', NULL, 0, 0, NULL), (1, 2, 34, 'mark', NULL, 0, 0, NULL);");
  }
  static Names texts(const report::ReportReader& file, RangeNames names) {
    Names result;
    EXPECT_TRUE(for_each_range(
        file, names, [&](const NvtxRange& range) { result.push_back(names.text(range.name)); }));
    return result;
  }
};

TEST_F(RangeNamesTest, DomainAndText) {
  const auto file = reader();
  EXPECT_EQ(texts(file, RangeNames(file)),
            (Names{":f", ":f", "NCCL:f", "NCCL:", ":", ":never ended"}));
  EXPECT_EQ(texts(file, RangeNames(file, RangeNames::Show::kText)),
            (Names{"f", "f", "f", "", "", "never ended"}));
}

TEST_F(RangeNamesTest, EqualNamesHaveOneNumber) {
  const auto file = reader();
  RangeNames names(file);
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> types;
  std::vector<std::int64_t> durations;
  ASSERT_TRUE(for_each_range_time(file, names,
                                  [&](std::int64_t type, std::int32_t name, std::int64_t duration) {
                                    types.push_back(type);
                                    numbers.push_back(name);
                                    durations.push_back(duration);
                                  }));
  EXPECT_EQ(numbers, (std::vector<std::int32_t>{0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(types, (std::vector<std::int64_t>{59, 60, 59, 59, 59, 59}));
  // The range that never ended counts up to the latest time.
  EXPECT_EQ(durations, (std::vector<std::int64_t>{10, 1, 1, 1, 1, 9}));
}

}  // namespace
}  // namespace prof::events
