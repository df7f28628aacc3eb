// The rules of docs/security.md for prof view, one by one.
#include "exporters/viewer/server/request_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace prof::view {
namespace {

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";
using http::Fields;

Address address() { return {4711, kToken, {}}; }

std::string target(const std::string& path) { return std::string("/") + kToken + path; }

Decision ask(const std::string& target, const Fields& fields, std::string_view method = "GET",
             const Address& at = address()) {
  return decide({method, target, fields}, at);
}

int status(const Fields& fields, const std::string& path = "/api/rows") {
  return ask(target(path), fields).status;
}

TEST(RequestRules, OwnHostsAreAnswered) {
  for (const char* host : {"127.0.0.1:4711", "localhost:4711", "[::1]:4711", "LocalHost:4711"})
    EXPECT_EQ(status({{"Host", host}}), 200) << host;
}

TEST(RequestRules, OtherHostsAreRefused) {
  for (const char* host :
       {"", "127.0.0.1", "127.0.0.1:4712", "127.0.0.1:47110", "127.0.0.1:4711.evil.example",
        "127.0.0.1.evil.example:4711", "localhost.evil.example:4711", "evil.example:4711",
        "evil.example", "localhost:4711@evil.example", "[::1]", "::1:4711", "127.1:4711",
        "2130706433:4711", "0.0.0.0:4711", "localhost:04711", "localhost:4711 ", "localhost."})
    EXPECT_EQ(status({{"Host", host}}), 403) << host;
}

TEST(RequestRules, ARequestHasOneHost) {
  EXPECT_EQ(status({}), 403);
  EXPECT_EQ(status({{"Host", "localhost:4711"}, {"Host", "localhost:4711"}}), 403);
  EXPECT_EQ(status({{"Host", "localhost:4711"}, {"hOsT", "evil.example"}}), 403);
  EXPECT_EQ(status({{"X-Forwarded-Host", "localhost:4711"}, {"Host", "evil.example"}}), 403);
}

TEST(RequestRules, AllowedHostsAreAnswered) {
  Address at = address();
  at.allowed_hosts = {"localhost:9000", "node7", "[fe80::1]"};
  const auto status_of = [&](const char* host) {
    return ask(target("/"), {{"Host", host}}, "GET", at).status;
  };
  for (const char* host : {"localhost:9000", "node7", "node7:1", "[fe80::1]:80", "localhost:4711"})
    EXPECT_EQ(status_of(host), 200) << host;
  for (const char* host : {"localhost:9001", "node7.evil.example"})
    EXPECT_EQ(status_of(host), 403) << host;
}

TEST(RequestRules, TheTokenIsTheFirstSegment) {
  const Fields fields = {{"Host", "localhost:4711"}};
  const std::string token = kToken;
  const std::string root = "/" + token + "/";  // The texts of a decision point into the target.
  const Decision page = ask(root, fields);
  EXPECT_TRUE(page.allowed());
  EXPECT_EQ(page.path, "/");
  for (const std::string& other :
       {std::string(), std::string("/"), std::string("*"), "/" + token, token + "/",
        "//" + token + "/", "/" + token.substr(1) + "/", "/" + token + "0/", "/x/" + token + "/",
        "/0123456789ABCDEF0123456789ABCDEF/" + std::string(),
        "/%30123456789abcdef0123456789abcdef/" + std::string(),
        "http://localhost:4711/" + token + "/", "/?" + token + "/", "/" + token + "?/",
        "/../" + token + "/", "/" + std::string(token.size(), '\0') + "/"}) {
    const Decision decision = ask(other, fields);
    EXPECT_EQ(decision.status, 404) << other;
    EXPECT_EQ(decision.reason, "") << other;
  }
}

TEST(RequestRules, WithoutATokenNothingElseIsSaid) {
  for (const Fields& fields : {Fields{{"Host", "evil.example"}}, Fields{{"Origin", "null"}}})
    for (const char* method : {"GET", "POST", "OPTIONS", "nonsense"}) {
      const Decision decision = ask("/wrong/", fields, method);
      EXPECT_EQ(decision.status, 404);
      EXPECT_EQ(decision.reason, "");
    }
}

TEST(RequestRules, AnEmptyTokenIsNoToken) {
  EXPECT_EQ(ask("//", {{"Host", "localhost:4711"}}, "GET", {4711, "", {}}).status, 404);
}

TEST(RequestRules, OnlyReading) {
  const Fields fields = {{"Host", "localhost:4711"}};
  EXPECT_TRUE(ask(target("/"), fields, "HEAD").allowed());
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get", ""})
    EXPECT_EQ(ask(target("/"), fields, method).status, 405) << method;
}

TEST(RequestRules, OtherOriginsAreRefused) {
  const auto with_origin = [](const char* origin) {
    return status({{"Host", "localhost:4711"}, {"Origin", origin}});
  };
  EXPECT_EQ(with_origin("http://localhost:4711"), 200);
  for (const char* origin :
       {"null", "", "http://evil.example", "http://localhost", "file://", "http://localhost:4712",
        "https://localhost:4711", "http://127.0.0.1:4711", "http://localhost:4711.evil.example"})
    EXPECT_EQ(with_origin(origin), 403) << origin;
  EXPECT_EQ(status({{"Host", "localhost:4711"},
                    {"Origin", "http://localhost:4711"},
                    {"Origin", "http://evil.example"}}),
            403);
}

TEST(RequestRules, OtherSitesAreRefused) {
  const auto from = [](const char* site) {
    return status({{"Host", "localhost:4711"}, {"Sec-Fetch-Site", site}});
  };
  EXPECT_EQ(from("same-origin"), 200);
  EXPECT_EQ(from("none"), 200);
  for (const char* site : {"cross-site", "same-site", "", "Same-Origin"})
    EXPECT_EQ(from(site), 403) << site;
}

TEST(RequestRules, OnlyThePageIsOpenedFromOtherSites) {
  const auto from = [](const char* path, const char* mode, const char* to) {
    return status({{"Host", "localhost:4711"},
                   {"Sec-Fetch-Site", "cross-site"},
                   {"Sec-Fetch-Mode", mode},
                   {"Sec-Fetch-Dest", to}},
                  path);
  };
  EXPECT_EQ(from("/", "navigate", "document"), 200);
  EXPECT_EQ(from("/?a=b", "navigate", "document"), 200);
  EXPECT_EQ(from("/", "navigate", "iframe"), 403);
  EXPECT_EQ(from("/", "no-cors", "script"), 403);
  EXPECT_EQ(from("/api/rows", "navigate", "document"), 403);
  EXPECT_EQ(from("/page/app.js", "navigate", "document"), 403);
}

TEST(RequestRules, ThePathIsNotDecoded) {
  const Fields fields = {{"Host", "localhost:4711"}};
  const std::string encoded = target("/page/..%2f..%2fetc%2fpasswd");
  EXPECT_EQ(ask(encoded, fields).path, "/page/..%2f..%2fetc%2fpasswd");
  const std::string tile = target("/api/tile?rows=1&level=2");
  const Decision decision = ask(tile, fields);
  EXPECT_EQ(decision.path, "/api/tile");
  EXPECT_EQ(decision.query, "rows=1&level=2");
}

TEST(RequestRules, EveryAnswerCarriesTheFieldsOfThePolicy) {
  const auto has = [](std::string_view name, std::string_view part) {
    const auto& fields = security_fields();
    return std::any_of(fields.begin(), fields.end(), [&](const auto& field) {
      return field.first == name && field.second.find(part) != std::string_view::npos;
    });
  };
  EXPECT_TRUE(has("Content-Security-Policy", "default-src 'none'"));
  EXPECT_TRUE(has("Content-Security-Policy", "script-src 'self';"));
  EXPECT_TRUE(has("Content-Security-Policy", "frame-ancestors 'none'"));
  EXPECT_TRUE(has("Content-Security-Policy", "require-trusted-types-for 'script'"));
  EXPECT_FALSE(has("Content-Security-Policy", "unsafe"));
  EXPECT_TRUE(has("X-Content-Type-Options", "nosniff"));
  EXPECT_TRUE(has("Referrer-Policy", "no-referrer"));
  EXPECT_TRUE(has("Cross-Origin-Resource-Policy", "same-origin"));
  EXPECT_TRUE(has("Cross-Origin-Opener-Policy", "same-origin"));
  for (const auto& [name, value] : security_fields())
    EXPECT_FALSE(name.starts_with("Access-Control")) << name;
}

}  // namespace
}  // namespace prof::view
