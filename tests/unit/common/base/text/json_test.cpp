#include "common/base/text/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace prof::base {
namespace {

std::string by_library(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

TEST(JsonText, EscapesWhatJsonRequires) {
  EXPECT_EQ(quoted_json("a\"b\\c\n\t\x01\x7f/ü\u20ac"), "\"a\\\"b\\\\c\\n\\t\\u0001\x7f/ü\u20ac\"");
  EXPECT_EQ(quoted_json(std::string_view("\0", 1)), "\"\\u0000\"");
}

TEST(JsonText, IsWhatTheLibraryPrintsForAnyBytes) {
  // Bytes that begin, continue and end sequences at the limits of what is valid.
  const std::string bytes(
      "\x00\x1f\"\\az\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xed\xee\xef\xf0\xf1\xf4"
      "\xf5\xff",
      26);
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t length = random() % 12; length > 0; --length)
      text += bytes[random() % bytes.size()];
    ASSERT_EQ(quoted_json(text), by_library(text)) << ::testing::PrintToString(text);
  }
}

TEST(Json, IsNested) {
  Json json;
  json.begin_object().pair("a", 1).pair("b", true).key("c").begin_list();
  json.value("x").value(std::int64_t{-2}).null().begin_object().end_object().begin_list();
  json.end_list().end_list().pair("d", 0.5).end_object();
  EXPECT_EQ(json.text(), R"({"a":1,"b":true,"c":["x",-2,null,{},[]],"d":0.5})");
}

TEST(Json, TextsOfAnyBytesAreValid) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  Json json;
  json.begin_object().pair(bytes, bytes).end_object();
  EXPECT_TRUE(nlohmann::json::accept(json.text()));
}

TEST(Json, NumbersThatJsonDoesNotHaveAreNull) {
  Json json;
  json.begin_list().value(std::numeric_limits<double>::quiet_NaN());
  json.value(std::numeric_limits<double>::infinity()).value(1e300).end_list();
  EXPECT_EQ(json.text(), "[null,null,1e+300]");
}

TEST(Json, CharactersThatCannotBeSeenBecomeEscapes) {
  Json json;
  const std::string text = "a\u202eb\u200bc\ufeff\u0085 \U000e0041 é 中 \U0001f600";
  json.value(text);
  const std::string visible = visible_json(json.text());
  EXPECT_EQ(visible, "\"a\\u202eb\\u200bc\\ufeff\\u0085 \\udb40\\udc41 é 中 \U0001f600\"");
  EXPECT_EQ(nlohmann::json::parse(visible), text);
}

}  // namespace
}  // namespace prof::base
