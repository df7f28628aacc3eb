#include "common/base/text/printable.hpp"

#include <gtest/gtest.h>

namespace prof::base {
namespace {

TEST(Printable, TextsStayAsTheyAre) {
  for (const char* text : {"", "plain", "h\u00e9llo \u4e16\u754c \U0001f600", "a\u00a0b",
                           "\u200b\u200d", "\u2190\u2500"}) {
    EXPECT_TRUE(is_printable(text)) << text;
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, WhatATerminalObeysIsReplaced) {
  for (const char* text : {"\x1b", "\n", "\x7f", "\u0080", "\u009b", "\u009f", "\u061c", "\u200e",
                           "\u200f", "\u2028", "\u202a", "\u202e", "\u2066", "\u2069"}) {
    EXPECT_FALSE(is_printable(text)) << text;
    EXPECT_EQ(printable(std::string("a") + text + "b"), "a?b");
  }
}

TEST(Printable, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(printable("a\x9b"
                      "2J"),
            "a?2J");
  EXPECT_EQ(printable("\xe2\x80"), "??");
}

TEST(Printable, MessagesKeepTheirLines) {
  EXPECT_EQ(printable_lines("a\n\tb\r\u009b"), "a\n\tb??");
}

}  // namespace
}  // namespace prof::base
