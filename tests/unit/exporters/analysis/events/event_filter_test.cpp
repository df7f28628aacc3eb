#include "exporters/analysis/events/event_filter.hpp"

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::events {
namespace {

class EventFilterTest : public test::ReportFixture {
 protected:
  EventFilterTest() { create_ranges(); }
  // "START-END", or the error's text.
  std::string found(const std::string& text) {
    const auto file = reader();
    const auto filter = find_nvtx_filter(file, text);
    if (!filter) return filter.error().message;
    return std::to_string(filter->start) + '-' + std::to_string(filter->end);
  }
};

TEST(TimeFilter, BothEndsMayBeLeftOut) {
  EXPECT_EQ(*parse_time_filter("460ms/461ms"), (EventFilter{460000000, 461000000, {}}));
  EXPECT_EQ(parse_time_filter("1.5s/")->start, 1500000000);
  EXPECT_EQ(parse_time_filter("/7us")->end, 7000);
  EXPECT_EQ(parse_time_filter("/7")->start, EventFilter{}.start);
  EXPECT_EQ(parse_time_filter("-5/20ns")->start, -5);
}

TEST(TimeFilter, Bad) {
  for (const char* text : {"", "/", "5", "a/b", "5h/6h", "1/2/3", "nan/5", "1e300s/"})
    EXPECT_EQ(parse_time_filter(text).error().message,
              std::string("bad time filter ") + text +
                  ": write [START]/[END], each a number with ns, us, ms or s");
  EXPECT_EQ(parse_time_filter("5/4").error().message,
            "bad time filter 5/4: it ends before it starts");
}

TEST_F(EventFilterTest, Ranges) {
  add_range(30, "40", 9, "step");
  add_range(10, "20", 9, "step");
  add_range(1, "2", 9, "a/b@c");
  add_range(50, "60", 9, "step");
  sql("INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'mine', NULL, " +
      std::to_string(test::global_id(9, 9)) +
      ", 4, NULL);"
      "UPDATE NVTX_EVENTS SET domainId = 4 WHERE start = 50;");
  EXPECT_EQ(found("step"), "10-20");
  EXPECT_EQ(found("step/1"), "30-40");
  EXPECT_EQ(found("step@mine"), "50-60");
  EXPECT_EQ(found("step@*/2"), "50-60");
  EXPECT_EQ(found("a/b@c@"), "1-2");
  EXPECT_EQ(found("step/2"), "NVTX filter step/2: there are only 2 such ranges");
  EXPECT_EQ(found("jump"), "no NVTX range matches jump (write RANGE[@DOMAIN][/INDEX])");
}

TEST(EventFilter, Both) {
  EXPECT_EQ(both({1, 10, {}}, {5, 20, {{9}}}), (EventFilter{5, 10, {{9}}}));
}

}  // namespace
}  // namespace prof::events
