#include "exporters/mcp/protocol.hpp"

#include <utility>

#include "common/base/text/json.hpp"
#include "exporters/mcp/request.hpp"

namespace prof::mcp {

namespace {

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

// Returns the message of a line, or null.
Object message_of(std::string_view line) {
  if (line.size() > kMaxLineBytes || is_too_deep(line)) return nullptr;
  Object message = Object::parse(line, nullptr, false);
  return message.is_object() ? std::move(message) : Object(nullptr);
}

}  // namespace

std::optional<Object> request_id(std::string_view line) {
  const Object message = message_of(line);
  const auto id = message.find("id");
  if (id == message.end() || !is_id(*id)) return std::nullopt;
  return *id;
}

std::optional<Object> cancelled_id(std::string_view line) {
  constexpr const char* kMethod = "notifications/cancelled";
  if (line.find("cancelled") == std::string_view::npos) return std::nullopt;
  const Object message = message_of(line);
  if (message.is_null() || message.contains("id") || !message.contains("method") ||
      message["method"] != kMethod || !message.contains("params"))
    return std::nullopt;
  const Object& params = message["params"];
  const auto id = params.find("requestId");
  if (id == params.end() || !is_id(*id)) return std::nullopt;
  return *id;
}

std::optional<std::string> Server::answer(std::string_view line,
                                          const std::stop_token& stop) const {
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
    Object result = Request(version_, features_, message, stop).result();
    if (stop.stop_requested()) return std::nullopt;
    return text_of({{"jsonrpc", "2.0"}, {"id", *id}, {"result", std::move(result)}});
  } catch (const ProtocolError& error) {
    if (stop.stop_requested()) return std::nullopt;
    return error_text(*id, error);
  }
}

}  // namespace prof::mcp
