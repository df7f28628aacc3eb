#include "common/http/request.hpp"

#include <gtest/gtest.h>

namespace prof::http {
namespace {

TEST(AllowedHosts, AreNamedWithTheirPortOrWithAny) {
  const std::vector<std::string> allowed = {"localhost:9000", "node7", "[fe80::1]"};
  for (const char* host : {"localhost:9000", "LocalHost:9000", "node7", "node7:1", "node7:65535",
                           "[fe80::1]", "[fe80::1]:80"})
    EXPECT_TRUE(is_allowed_host(host, allowed)) << host;
  for (const char* host : {"", "localhost", "localhost:9001", "localhost:90000",
                           "node7.evil.example", "node7:", "node7:x", "node7:123456", "node77",
                           "[fe80::1]x", "fe80::1", "evil.example:9000"})
    EXPECT_FALSE(is_allowed_host(host, allowed)) << host;
}

TEST(RequestHead, FieldsAreFoundWithoutCaseAndCounted) {
  const RequestHead head{"GET", "/", {{"Host", "a"}, {"hOsT", "b"}, {"Hosts", "c"}}};
  const Field host = find(head, "HOST");
  EXPECT_EQ(host.count, 2);
  EXPECT_EQ(host.value, "a");
  EXPECT_EQ(find(head, "Origin").count, 0);
}

}  // namespace
}  // namespace prof::http
