#include "exporters/mcp/protocol.hpp"

#include <algorithm>
#include <utility>

#include "common/base/text/json.hpp"
#include "exporters/mcp/base64.hpp"

namespace prof::mcp {

namespace {

constexpr const char* kModern = "2026-07-28";
constexpr const char* kLegacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr int kCacheMs = 3'600'000;  // the tools do not change while the server runs

enum Code {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kUnknownVersion = -32022,
};

struct ProtocolError {
  int code;
  std::string message;
  Object data = nullptr;
};

// The answer to one request.
class Request {
 public:
  Request(const std::string& version, const std::string& instructions,
          const std::vector<Tool>& tools, const Object& message)
      : version_(version),
        instructions_(instructions),
        tools_(tools),
        method_(message["method"].get<std::string>()),
        params_(message.contains("params") && message["params"].is_object() ? message["params"]
                                                                            : Object::object()) {}

  // Throws ProtocolError.
  Object result() {
    find_era();
    Object result = dispatch();
    if (is_modern_) {
      result["resultType"] = "complete";
      result["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info();
    }
    return result;
  }

 private:
  // A request is modern if it names its version. Then it also has to say what
  // the client can do.
  void find_era() {
    const auto meta = params_.find("_meta");
    if (meta == params_.end() || !meta->is_object() || !meta->contains(kVersionKey)) return;
    is_modern_ = true;
    const Object& version = (*meta)[kVersionKey];
    if (!version.is_string())
      throw ProtocolError{kInvalidParams, std::string(kVersionKey) + " is not a text"};
    if (version != kModern)
      throw ProtocolError{kUnknownVersion,
                          "unsupported version of the protocol",
                          {{"supported", Object::array({kModern})}, {"requested", version}}};
    if (!meta->contains(kCapabilitiesKey))
      throw ProtocolError{kInvalidParams, std::string("_meta lacks ") + kCapabilitiesKey};
  }

  Object dispatch() {
    if (method_ == "server/discover") return discover();
    if (method_ == "initialize" && !is_modern_) return initialize();
    if (method_ == "ping") return Object::object();
    if (method_ == "tools/list") return list_tools();
    if (method_ == "tools/call") return call_tool();
    throw ProtocolError{kMethodNotFound, "unknown method"};
  }

  Object server_info() const { return {{"name", "prof"}, {"version", version_}}; }

  Object discover() const {
    return {{"supportedVersions", Object::array({kModern})},
            {"capabilities", {{"tools", Object::object()}}},
            {"serverInfo", server_info()},
            {"instructions", instructions_},
            {"ttlMs", kCacheMs},
            {"cacheScope", "private"}};
  }

  // Returns the version that the client asked for, if it is a legacy one, else
  // the newest of these.
  Object initialize() const {
    const auto asked = params_.find("protocolVersion");
    const char* version = kLegacy[0];
    for (const char* each : kLegacy)
      if (asked != params_.end() && *asked == each) version = each;
    return {{"protocolVersion", version},
            {"capabilities", {{"tools", Object::object()}}},
            {"serverInfo", server_info()},
            {"instructions", instructions_}};
  }

  Object list_tools() const {
    Object list = Object::array();
    for (const Tool& each : tools_)
      list.push_back({{"name", each.name},
                      {"description", each.description},
                      {"inputSchema", each.input},
                      {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
    Object result = {{"tools", std::move(list)}};
    if (is_modern_) {
      result["ttlMs"] = kCacheMs;
      result["cacheScope"] = "private";
    }
    return result;
  }

  Object call_tool() const {
    const auto name = params_.find("name");
    const auto tool = std::ranges::find_if(
        tools_, [&](const Tool& each) { return name != params_.end() && *name == each.name; });
    if (tool == tools_.end()) throw ProtocolError{kInvalidParams, "unknown tool"};
    Object arguments = params_.value("arguments", Object::object());
    if (!arguments.is_object()) throw ProtocolError{kInvalidParams, "arguments is not an object"};
    const base::Result<ToolResult> result = tool->call(arguments);
    if (!result)
      return {{"content", {{{"type", "text"}, {"text", result.error().message}}}},
              {"isError", true}};
    Object content = Object::array();
    content.push_back(
        {{"type", "text"},
         {"text", result->structured.dump(-1, ' ', false, Object::error_handler_t::replace)}});
    if (!result->png.empty())
      content.push_back(
          {{"type", "image"}, {"data", base64_of(result->png)}, {"mimeType", "image/png"}});
    return {{"content", std::move(content)}, {"structuredContent", result->structured}};
  }

  const std::string& version_;
  const std::string& instructions_;
  const std::vector<Tool>& tools_;
  std::string method_;
  Object params_;
  bool is_modern_ = false;
};

std::string text_of(const Object& message) {
  return base::visible_json(message.dump(-1, ' ', false, Object::error_handler_t::replace));
}

std::string error_text(const Object& id, const ProtocolError& error) {
  Object body = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  return text_of({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(body)}});
}

// True if values are nested deeper than a request can need. Copies of such values would need much
// stack.
bool is_too_deep(std::string_view line) {
  constexpr int kMostLevels = 64;
  int level = 0;
  bool is_in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char each = line[i];
    if (each == '"')
      is_in_text = !is_in_text;
    else if (is_in_text)
      i += each == '\\' ? 1 : 0;  // the next character is escaped
    else if (each == '{' || each == '[')
      ++level;
    else if (each == '}' || each == ']')
      --level;
    if (level > kMostLevels) return true;
  }
  return false;
}

bool is_id(const Object& id) { return id.is_string() || id.is_number_integer(); }

}  // namespace

std::optional<std::string> Server::answer(std::string_view line) const {
  if (line.size() > kMaxLineBytes)
    return error_text(nullptr, {kInvalidRequest, "the line is too long"});
  if (is_too_deep(line))
    return error_text(nullptr, {kInvalidRequest, "values are nested too deeply"});
  const Object message = Object::parse(line, nullptr, false);
  if (message.is_discarded()) return error_text(nullptr, {kParseError, "the line is not JSON"});
  if (!message.is_object())
    return error_text(nullptr, {kInvalidRequest, "a message is one object"});
  const auto id = message.find("id");
  const bool has_id = id != message.end();
  const auto method = message.find("method");
  const auto version = message.find("jsonrpc");
  if (version == message.end() || *version != "2.0" || method == message.end() ||
      !method->is_string() || (has_id && !is_id(*id)))
    return error_text(has_id && is_id(*id) ? *id : Object(nullptr),
                      {kInvalidRequest, "not a request of JSON-RPC 2.0"});
  if (!has_id) return std::nullopt;
  try {
    Object result = Request(version_, instructions_, tools_, message).result();
    return text_of({{"jsonrpc", "2.0"}, {"id", *id}, {"result", std::move(result)}});
  } catch (const ProtocolError& error) {
    return error_text(*id, error);
  }
}

}  // namespace prof::mcp
