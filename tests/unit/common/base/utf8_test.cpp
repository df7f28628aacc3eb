#include "common/base/utf8.hpp"

#include <gtest/gtest.h>

namespace prof::base {
namespace {

TEST(Utf8, CharactersOfEveryLengthAreValid) {
  for (const std::string_view text :
       {"", "plain text of more than eight bytes", "\u00e9", "\u20ac", "\U0001f600",
        "12345678\u00e9", "\u007f\u0080\u07ff\u0800", "\ud7ff\ue000\uffff", "\U0010ffff"})
    EXPECT_TRUE(is_utf8(text)) << text;
}

TEST(Utf8, OtherBytesAreNot) {
  for (const std::string_view text :
       {"th\xe9", "12345678\xff", "\x80", "\xc1\xbf", "\xe2\x82", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82z"})
    EXPECT_FALSE(is_utf8(text)) << escaped_to_utf8(text);
}

TEST(Utf8, EscapesShowTheBytesAndKeepTextsApart) {
  EXPECT_EQ(escaped_to_utf8("th\xe9"), "th\\xe9");
  EXPECT_EQ(escaped_to_utf8("\u00e9\xff\u20ac"), "\u00e9\\xff\u20ac");
  EXPECT_EQ(escaped_to_utf8("C:\\y\xe2\x82"), "C:\\y\\xe2\\x82");
  EXPECT_EQ(escaped_to_utf8("\\xe9\xff"), "\\x5cxe9\\xff");  // not the same as of "\xe9\xff"
  EXPECT_TRUE(is_utf8(escaped_to_utf8("\xed\xa0\x80")));
}

TEST(Utf8, EscapedTextsGiveTheirBytesBack) {
  for (const std::string_view text :
       {"", "th\xe9", "\\xe9\xff", "\\x", "\\\\x41", "a\\x5c\xffz", "\u00e9"})
    EXPECT_EQ(unescaped_from_utf8(escaped_to_utf8(text)), text);
  EXPECT_EQ(unescaped_from_utf8("C:\\xyz\\x4"), "C:\\xyz\\x4");
}

}  // namespace
}  // namespace prof::base
