#include "exporters/viewer/answers/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace prof::view {
namespace {

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

}  // namespace
}  // namespace prof::view
