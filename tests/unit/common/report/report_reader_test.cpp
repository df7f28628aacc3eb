#include "common/report/report_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/report/report_writer.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::report {
namespace {

class ReportReaderTest : public ::testing::Test {
 protected:
  std::string error_of(const std::string& path) {
    const auto reader = ReportReader::open(path);
    return reader ? "" : reader.error().message;
  }
  std::string make() {
    auto writer = *ReportWriter::create(directory_.file("r.db"), true);
    EXPECT_TRUE(writer->finish());
    return directory_.file("r.db");
  }
  test::TemporaryDirectory directory_;
};

TEST_F(ReportReaderTest, OpensAReport) {
  const auto reader = ReportReader::open(make());
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->has_table("StringIds"));
  EXPECT_FALSE(reader->has_table("OSRT_API"));
  EXPECT_TRUE(reader->has_column("StringIds", "value"));
  EXPECT_FALSE(reader->has_column("StringIds", "text"));
  EXPECT_FALSE(reader->has_column("OSRT_API", "start"));
  const auto tables = reader->tables();
  EXPECT_EQ(std::ranges::count(tables, "StringIds"), 1);
}

TEST_F(ReportReaderTest, SaysWhatElseItIs) {
  EXPECT_NE(error_of("/no/such.db").find("No such file"), std::string::npos);
  EXPECT_NE(error_of("/tmp").find("directory"), std::string::npos);
  EXPECT_NE(error_of(directory_.write("e", "")).find("empty"), std::string::npos);
  EXPECT_NE(error_of(directory_.write("t", "some text")).find("not an SQLite"), std::string::npos);
  EXPECT_NE(error_of(directory_.write("s", "profspl1....")).find("prof recover"),
            std::string::npos);
  EXPECT_NE(error_of(directory_.write("n.nsys-rep", "xx")).find("nsys export"), std::string::npos);
}

TEST_F(ReportReaderTest, SeesTruncationAtAnyLength) {
  const std::string whole = test::read_file(make());
  for (std::size_t length = 20; length < whole.size(); length += 9973) {
    const std::string message = error_of(directory_.write("t.db", whole.substr(0, length)));
    EXPECT_NE(message.find("truncated"), std::string::npos) << length << message;
  }
}

TEST_F(ReportReaderTest, NeverWrites) {
  const auto reader = ReportReader::open(make());
  auto insert = reader->prepare("INSERT INTO StringIds VALUES (1000, 'x')");
  EXPECT_TRUE(!insert || !insert->step());
}

}  // namespace
}  // namespace prof::report
