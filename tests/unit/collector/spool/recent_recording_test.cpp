#include "collector/spool/recent_recording.hpp"

#include <gtest/gtest.h>

#include "collector/spool/decoder.hpp"
#include "tests/unit/record_bytes.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::spool {
namespace {

using test::RecordBytes;

struct Seen {
  std::vector<std::string> texts;
  std::vector<std::uint64_t> pushes;  // times

  void operator()(const wire::StringRecord&, std::string_view text) { texts.emplace_back(text); }
  void operator()(const wire::NvtxPushRecord& record) { pushes.push_back(record.time); }
};

Seen kept_by(const RecentRecording& recording) {
  const std::vector<std::byte> bytes = recording.bytes();
  const auto spool = Spool::parse(bytes);
  Seen seen;
  EXPECT_TRUE(spool && spool->ignored_bytes == 0);
  if (!spool) return seen;
  for (const Piece& each : spool->pieces) EXPECT_EQ(decode(each.bytes, seen).corrupt_bytes, 0U);
  return seen;
}

class RecentRecordingTest : public ::testing::Test {
 protected:
  // Writes an event, with its name if it is the first one.
  void write(std::uint64_t time) {
    RecordBytes records;
    if (!name_) name_ = records.text("step");
    records.push(time, *name_);
    ASSERT_TRUE(writer_->records({1, 7, 0, 0, 0}, records.bytes()));
  }

  test::TemporaryDirectory folder_;
  base::Result<SpoolWriter> writer_ = SpoolWriter::create(folder_.file("r.spool"));
  std::optional<std::uint64_t> name_;
};

TEST_F(RecentRecordingTest, OldEventsGoAndTheirNamesStay) {
  write(100);
  auto recording = RecentRecording::open(writer_->path());
  ASSERT_TRUE(recording) << recording.error().message;
  ASSERT_TRUE(recording->read(1));
  write(200);
  ASSERT_TRUE(recording->read(2));
  EXPECT_EQ(kept_by(*recording).pushes, (std::vector<std::uint64_t>{100, 200}));
  recording->forget_before(2);
  const Seen seen = kept_by(*recording);
  EXPECT_EQ(seen.pushes, std::vector<std::uint64_t>{200});
  EXPECT_EQ(seen.texts, std::vector<std::string>{"step"});
  EXPECT_FALSE(recording->is_cut());
}

TEST_F(RecentRecordingTest, ABlockThatIsNotWholeYetIsReadLater) {
  write(100);
  auto recording = RecentRecording::open(writer_->path());
  ASSERT_TRUE(recording);
  ASSERT_TRUE(recording->read(1));
  const std::uint64_t before = writer_->bytes();
  write(200);
  // The file as a reader can find it while a block is being written.
  const auto whole = test::read_file(writer_->path());
  folder_.write("cut.spool", whole.substr(0, before + 20));
  auto cut = RecentRecording::open(folder_.file("cut.spool"));
  ASSERT_TRUE(cut && cut->read(1));
  EXPECT_EQ(kept_by(*cut).pushes, std::vector<std::uint64_t>{100});
  folder_.write("cut.spool", whole);
  ASSERT_TRUE(cut->read(2));
  EXPECT_EQ(kept_by(*cut).pushes, (std::vector<std::uint64_t>{100, 200}));
}

TEST_F(RecentRecordingTest, TheEndIsSeen) {
  auto recording = RecentRecording::open(writer_->path());
  ASSERT_TRUE(recording && recording->read(1));
  EXPECT_FALSE(recording->has_ended());
  ASSERT_TRUE(writer_->last_note(EndNote{}));
  ASSERT_TRUE(recording->read(2));
  EXPECT_TRUE(recording->has_ended());
}

TEST_F(RecentRecordingTest, WhatIsNotARecordingIsRefused) {
  EXPECT_FALSE(RecentRecording::open(folder_.write("x", "something that is long enough")));
  EXPECT_FALSE(RecentRecording::open(folder_.file("none")));
}

}  // namespace
}  // namespace prof::spool
