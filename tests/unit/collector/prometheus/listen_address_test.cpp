#include "collector/prometheus/listen_address.hpp"

#include <gtest/gtest.h>

namespace prof::prometheus {
namespace {

std::string read(const std::string& text) {
  const auto address = parse_listen_address(text);
  return address ? address->host + " " + std::to_string(address->port) : "wrong";
}

TEST(ListenAddress, IsOnLoopbackUnlessToldOtherwise) {
  EXPECT_EQ(read(""), "127.0.0.1 9755");
  EXPECT_EQ(read("9000"), "127.0.0.1 9000");
  EXPECT_EQ(read("localhost:9000"), "127.0.0.1 9000");
}

TEST(ListenAddress, Addresses) {
  EXPECT_EQ(read("0.0.0.0:80"), "0.0.0.0 80");
  EXPECT_EQ(read("[::1]:9755"), "::1 9755");
  EXPECT_EQ(read("[::]:65535"), ":: 65535");
}

TEST(ListenAddress, EverythingElseIsRefused) {
  for (const char* text : {"0", "65536", "-1", "x", ":", "1.2.3.4", "1.2.3.4:", "host:80", "::1:80",
                           "[::1]", "[]:80", "1.2.3.4:80x", ":80", "[1.2.3:80"})
    EXPECT_EQ(read(text), "wrong") << text;
}

}  // namespace
}  // namespace prof::prometheus
