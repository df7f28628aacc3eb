// Lines that clients send to prof mcp, and claims. The first byte says what surrounds the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/claims/claim.hpp"
#include "exporters/mcp/protocol.hpp"
#include "exporters/mcp/redaction.hpp"
#include "tests/fuzz/input.hpp"

using namespace prof;

namespace {

void require(bool truth) {
  if (!truth) std::abort();
}

mcp::Server make_server() {
  mcp::Features features;
  features.tools.push_back(
      {"echo", "Returns its arguments", mcp::Object::object(), mcp::Object::object(),
       [](const mcp::Object& arguments, const std::stop_token&) -> base::Result<mcp::ToolResult> {
         if (arguments.empty()) return base::fail("no arguments");
         return mcp::ToolResult{{{"arguments", arguments.size()}}, "picture"};
       }});
  features.resources.list = [](std::size_t) { return mcp::ResourcePage{}; };
  features.resources.read = [](const std::string& uri) -> base::Result<mcp::Resources::Content> {
    if (uri.size() % 2 == 0) return base::fail("no such resource");
    return mcp::Resources::Content{"text/plain", uri};
  };
  features.prompts.push_back(
      {"ask", "Asks", {{"what", "a text", true}}, [](const mcp::Object& all) {
         return all["what"].get<std::string>();
       }});
  return {"1.0", std::move(features)};
}

std::string line_of(std::uint8_t how, const std::string& rest) {
  const std::string request = R"({"jsonrpc":"2.0","id":1,"method":)";
  const std::string meta = R"({"_meta":{"io.modelcontextprotocol/protocolVersion":)";
  switch (how % 7) {
    case 0:
      return request + rest;
    case 1:
      return request + R"("tools/call","params":)" + rest + '}';
    case 2:
      return request + R"("tools/call","params":{"name":"echo","arguments":)" + rest + "}}";
    case 3:
      return request + R"("tools/list","params":)" + meta + rest + "}}}";
    case 4:
      return request + R"("resources/read","params":)" + rest + '}';
    case 5:
      return request + R"("prompts/get","params":{"name":"ask","arguments":)" + rest + "}}";
    default:
      return rest;
  }
}

// An answer is one line of JSON with a result or an error.
void check(const std::string& answer) {
  require(answer.find('\n') == std::string::npos);
  const auto message = nlohmann::json::parse(answer, nullptr, false);
  require(message.is_object() && message.value("jsonrpc", "") == "2.0" && message.contains("id"));
  require(message.contains("result") != message.contains("error"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  fuzz::Input input(data, size);
  const auto how = input.take<std::uint8_t>();
  std::string rest;
  while (!input.empty()) rest += static_cast<char>(input.take<std::uint8_t>());
  static const mcp::Server kServer = make_server();
  const std::string line = line_of(how, rest);
  if (const auto answer = kServer.answer(line)) check(*answer);
  if (mcp::cancelled_id(line)) require(!mcp::request_id(line));  // a notification has no id
  mcp::Redaction redaction;
  redaction.hide_homes("/tmp/x y");
  redaction.hide("node1.net", "host");
  if (how % 2 == 0) redaction.hide_paths();
  static_cast<void>(redaction.text(rest));
  if (const auto claim = claims::parse_claim(rest)) require(claim->text == rest);
  return 0;
}
