#include "exporters/formats/json_export.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/report/report_writer.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::formats {
namespace {

class JsonExport : public ::testing::Test {
 protected:
  JsonExport() {
    auto writer = *report::ReportWriter::create(directory_.file("r.db"), true);
    writer->add(report::OsrtRow{
        .start = 1, .end = 2, .global_tid = 3, .result = -4, .name_id = writer->string_id("read")});
    EXPECT_TRUE(writer->finish());
  }
  base::Result<std::string> run(const std::vector<std::string>& tables = {}) {
    std::string text;
    const auto reader = *report::ReportReader::open(directory_.file("r.db"));
    const auto status = export_json(reader, tables, [&](std::string_view part) -> base::Status {
      text += part;
      return {};
    });
    if (!status) return tl::make_unexpected(status.error());
    return text;
  }
  test::TemporaryDirectory directory_;
};

TEST_F(JsonExport, IsOneDocumentWithResolvedNames) {
  const auto document = nlohmann::json::parse(*run());
  EXPECT_EQ(document["format"], "prof-json");
  const auto& call = document["tables"]["OSRT_API"][0];
  EXPECT_EQ(call["name"], "read");
  EXPECT_EQ(call["returnValue"], -4);
  EXPECT_FALSE(document["tables"].contains("ENUM_NSYS_EVENT_TYPE"));
}

TEST_F(JsonExport, EnumsOnRequest) {
  const auto document = nlohmann::json::parse(*run({"ENUM_NSYS_EVENT_TYPE"}));
  EXPECT_EQ(document["tables"].size(), 1U);
}

TEST_F(JsonExport, ALongTextIsNotRepeated) {
  const std::string text(100'000, 'x');
  auto writer = *report::ReportWriter::create(directory_.file("r.db"), true);
  for (int i = 0; i < 3; ++i)
    writer->add(report::OsrtRow{
        .start = i, .end = i, .global_tid = 3, .result = -4, .name_id = writer->string_id(text)});
  ASSERT_TRUE(writer->finish());
  const auto document = nlohmann::json::parse(*run({"OSRT_API"}));
  const auto& calls = document["tables"]["OSRT_API"];
  EXPECT_EQ(calls[0]["name"], text);
  EXPECT_FALSE(calls[1].contains("name") || calls[2].contains("name"));
  EXPECT_EQ(calls[2]["nameId"], calls[0]["nameId"]);
}

TEST_F(JsonExport, UnknownTableIsAnError) {
  const auto result = run({"NO_SUCH"});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("NO_SUCH"), std::string::npos);
}

TEST_F(JsonExport, AFailingOutputStopsIt) {
  const auto reader = *report::ReportReader::open(directory_.file("r.db"));
  const auto status = export_json(
      reader, {}, [](std::string_view) -> base::Status { return base::fail("disk full"); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "disk full");
}

}  // namespace
}  // namespace prof::formats
