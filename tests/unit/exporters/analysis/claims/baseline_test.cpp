// Numbers that a file keeps are those of the report.
#include "exporters/analysis/claims/baseline.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "exporters/analysis/claims/check_claims.hpp"
#include "exporters/analysis/claims/gate.hpp"
#include "exporters/analysis/query/named_views.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::claims {
namespace {

class BaselineTest : public test::ReportFixture {
 protected:
  BaselineTest() {
    create_kernels();
    create_ranges();
    add_range(10, "500", 12, "step");
    add_range(600, "700", 12, "step");
    add_range(20, "60", 12, "load");
    sheet_.subject.id = "0123456789abcdef";
    sheet_.diagnosis.span = 1'000;
    analyze::Finding finding;
    finding.rule = "launch_bound";
    finding.at_stake = 250;
    finding.gain = analyze::Gain{"", 200, 20, false};
    sheet_.diagnosis.findings.push_back(finding);
  }

  report::ReportReader opened() const {
    auto reader = report::ReportReader::open(path());
    if (!reader) ADD_FAILURE() << reader.error().message;
    EXPECT_TRUE(query::make_named_views(*reader));
    return std::move(*reader);
  }

  Baseline kept() const {
    const auto made = baseline_of(opened(), sheet_);
    if (!made) ADD_FAILURE() << made.error().message;
    auto read = parse_baseline(baseline_json(*made));
    if (!read) ADD_FAILURE() << read.error().message;
    return *std::move(read);
  }

  // The numbers of the file and of the report.
  std::pair<std::optional<double>, std::optional<double>> both(const std::string& quantity) const {
    const auto gate = parse_gate(quantity + " < base");
    if (!gate) ADD_FAILURE() << gate.error().message;
    Claim claim;
    claim.quantity = gate->quantity;
    const auto checked = check_claim(opened(), sheet_, claim);
    if (!checked) ADD_FAILURE() << checked.error().message;
    return {number_in(kept(), gate->quantity), checked->value};
  }

  facts::FactSheet sheet_;
};

TEST_F(BaselineTest, NumbersAreThoseOfTheReport) {
  for (const char* quantity :
       {"time", "range.count", "range('step').median", "range('step').total", "range('step').min",
        "range('step').max", "range('step').mean", "range('*').share", "range('l*d').median",
        "count(range('none'))", "range('none').total", "range('none').max", "range('*e*').total",
        "launch_bound.value", "launch_bound.share", "launch_bound.gain", "kernel.count"}) {
    const auto [file, report] = both(quantity);
    EXPECT_EQ(file, report) << quantity;
  }
  EXPECT_EQ(both("range('*e*').total").first, 590);
  EXPECT_EQ(both("range.median").first, 100);
}

TEST_F(BaselineTest, WhatAFileDoesNotHaveIsEmpty) {
  // The median of several names, and what the report had no events of.
  for (const char* quantity : {"range('*?').median", "copy.count", "call('fsync').count",
                               "hot_function.share", "duration"})
    EXPECT_EQ(both(quantity).first, std::nullopt) << quantity;
}

TEST_F(BaselineTest, ManyNamesAreLeftOut) {
  for (int i = 0; i < 1'100; ++i)
    add_range(1'000 + 10 * i, std::to_string(1'001 + 10 * i), 12, "batch " + std::to_string(i));
  EXPECT_EQ(both("range('step').count").first, 2);
  EXPECT_EQ(both("range.count").first, 1'103);
  EXPECT_EQ(both("range('s*').count").first, std::nullopt);
  EXPECT_EQ(both("range('none').count").first, std::nullopt);
}

TEST_F(BaselineTest, OtherFilesAreRefused) {
  for (const char* text : {"", "{}", "[]", R"({"schema":"prof.facts/1"})", "\x80"})
    EXPECT_EQ(parse_baseline(text).error().message, "not a file that prof facts --save has written")
        << text;
  for (const char* text : {R"({"schema":"prof.baseline/1"})",
                           R"({"schema":"prof.baseline/1","report":"a","time":"b"})",
                           R"({"schema":"prof.baseline/1","report":"a","time":1,"findings":{},)"
                           R"("cannot":[],"events":{"range":[]}})"})
    EXPECT_EQ(parse_baseline(text).error().message, "the file is damaged") << text;
}

}  // namespace
}  // namespace prof::claims
