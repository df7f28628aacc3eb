#include "injection/core/record/strings.hpp"

#include <string>

#include "collector/spool/decoder.hpp"
#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::core {
namespace {

class Strings : public SessionFixture {
 protected:
  Strings() : SessionFixture({2, 64}) { g_sent_strings.clear(); }

  struct Sent {
    std::uint64_t hash;
    std::string text;
    std::uint8_t flags;
  };
  std::vector<Sent> sent() {
    std::vector<Sent> all;
    for (const auto& [tid, bytes] : drain())
      spool::decode(bytes, [&](const wire::StringRecord& record, std::string_view text) {
        all.push_back({record.hash, std::string(text), record.header.flags});
      });
    return all;
  }
};

TEST_F(Strings, AreSentOnceByContent) {
  char buffer[] = "forward";
  const std::uint64_t hash = intern(buffer);
  EXPECT_EQ(intern("forward"), hash);
  buffer[0] = 'F';  // the text was copied
  const auto all = sent();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].text, "forward");
  EXPECT_EQ(all[0].hash, hash);
}

TEST_F(Strings, NullAndEmptyAreTheSame) {
  EXPECT_EQ(intern(static_cast<const char*>(nullptr)), intern(""));
  EXPECT_NE(intern(""), 0U);
}

TEST_F(Strings, AllOfManyArriveEvenWhenTheTableOverflows) {
  std::set<std::string> expected;
  std::set<std::string> got;
  for (int i = 0; i < 40'000; ++i) {
    const std::string text = "name " + std::to_string(i);
    intern(text.c_str());
    expected.insert(text);
    if (i % 5000 == 0)
      for (const auto& one : sent()) got.insert(one.text);
  }
  for (const auto& one : sent()) got.insert(one.text);
  EXPECT_EQ(got, expected);
}

TEST_F(Strings, LongTextIsCutAtACharacter) {
  std::string text(wire::kMaxStringBytes - 1, 'a');
  text += "é and more";  // the two bytes of é straddle the limit
  intern(text.c_str());
  const auto all = sent();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].text, std::string(wire::kMaxStringBytes - 1, 'a'));
  EXPECT_EQ(all[0].flags, wire::kStringTruncated);
}

TEST_F(Strings, WideTextBecomesUtf8) {
  intern(L"é€😀\xD800");
  const auto all = sent();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].text, "é€😀\xEF\xBF\xBD");
}

TEST_F(Strings, ADroppedTextIsSentAgain) {
  g_live.word = kOff;
  const std::uint64_t hash = intern("lost");
  g_live.word = g_live.self.serial;
  EXPECT_EQ(intern("lost"), hash);
  EXPECT_EQ(sent().size(), 1U);
}

}  // namespace
}  // namespace prof::core
