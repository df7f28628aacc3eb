#include "collector/spool/left_over.hpp"

#include <gtest/gtest.h>

#include "collector/spool/spool.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::spool {
namespace {

class LeftOverTest : public ::testing::Test {
 protected:
  template <class Write>
  void leave(const Write& write) {
    auto writer = *SpoolWriter::create(path_);
    write(writer);
    EXPECT_FALSE(find_left_over(path_));  // it is being written
  }
  bool has_content() { return find_left_over(path_).value().has_content; }

  test::TemporaryDirectory directory_;
  std::string path_ = directory_.file("report.db.spool");
};

TEST_F(LeftOverTest, NotesAndClocksAreNoContent) {
  leave([](SpoolWriter& writer) {
    EXPECT_TRUE(writer.note(SessionNote{.version = "\"type\":\"end\""}));
    EXPECT_TRUE(writer.clock({}));
  });
  EXPECT_FALSE(has_content());
}

TEST_F(LeftOverTest, RecordsAreContent) {
  leave([](SpoolWriter& writer) {
    EXPECT_TRUE(writer.note(SessionNote{}));
    EXPECT_TRUE(writer.records({}, {}));
  });
  EXPECT_TRUE(has_content());
}

TEST_F(LeftOverTest, AnEndIsContent) {
  leave([](SpoolWriter& writer) { EXPECT_TRUE(writer.last_note(EndNote{})); });
  EXPECT_TRUE(has_content());
}

TEST_F(LeftOverTest, ABlockThatIsCutOffIsNone) {
  leave([](SpoolWriter& writer) { EXPECT_TRUE(writer.records({}, {})); });
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 8);
  EXPECT_FALSE(has_content());
}

TEST_F(LeftOverTest, DamageMayHideContent) {
  directory_.write("report.db.spool", std::string("profspl1") + std::string(64, 'x'));
  EXPECT_TRUE(has_content());
}

TEST_F(LeftOverTest, OtherFilesAreNoRecordings) {
  for (const char* content : {"", "prof", "some text that is long enough"}) {
    directory_.write("report.db.spool", content);
    EXPECT_FALSE(find_left_over(path_)) << content;
  }
  EXPECT_FALSE(find_left_over(directory_.file("")));
  EXPECT_FALSE(find_left_over(directory_.file("missing")));
}

TEST_F(LeftOverTest, IsRemovedUnlessSomebodyReadsIt) {
  leave([](SpoolWriter&) {});
  const auto reader = find_left_over(path_);
  remove_left_over(*find_left_over(path_), path_);
  EXPECT_TRUE(std::filesystem::exists(path_));
  remove_left_over(*reader, path_);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(LeftOverTest, TheCommandAvoidsNamesThatAreTaken) {
  EXPECT_EQ(recovery_command(path_), "prof recover " + path_);
  directory_.write("report.1.db", "");
  const std::string other = directory_.file("report.recovered.db");
  EXPECT_EQ(recovery_command(path_), "prof recover " + path_ + " -o " + other);
  EXPECT_EQ(recovery_command(path_, true), "prof recover " + path_);
  directory_.write("report.recovered.db", "");
  EXPECT_TRUE(recovery_command(path_).ends_with("report.recovered2.db"));
}

TEST_F(LeftOverTest, TheCommandIsForTheShell) {
  EXPECT_EQ(recovery_command("it's a.db.spool"), "prof recover 'it'\\''s a.db.spool'");
  EXPECT_EQ(recovery_command("-o.db.spool"), "prof recover ./-o.db.spool");
  EXPECT_EQ(recovery_command("50%/x.bin"), "prof recover 50%/x.bin -o report.recovered.db");
}

}  // namespace
}  // namespace prof::spool
