// The Model Context Protocol, as a server that has tools: each message is a
// line of JSON-RPC.
//
// Clients of the revision 2026-07-28 name their version in each request
// ("_meta") and ask server/discover what the server can do. Older clients begin
// with initialize. The server keeps no state for either, so one line never
// depends on another one.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace prof::mcp {

using Object = nlohmann::ordered_json;

// What a tool returns. A failure of the tool is a text for the model, not an
// error of the protocol.
struct ToolResult {
  Object structured = Object::object();
  std::string png = {};  // the bytes of a picture; empty: none
};

struct Tool {
  std::string name;
  std::string description;
  Object input;  // JSON schema
  std::function<base::Result<ToolResult>(const Object& arguments)> call;
};

class Server {
 public:
  Server(std::string version, std::string instructions, std::vector<Tool> tools)
      : version_(std::move(version)),
        instructions_(std::move(instructions)),
        tools_(std::move(tools)) {}

  // Returns the answer to a line, without a line break at its end. Empty:
  // notifications get none.
  std::optional<std::string> answer(std::string_view line) const;

 private:
  std::string version_;
  std::string instructions_;
  std::vector<Tool> tools_;
};

inline constexpr std::size_t kMaxLineBytes = 1'000'000;

}  // namespace prof::mcp
