#include "exporters/mcp/request.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "exporters/mcp/base64.hpp"

namespace prof::mcp {

namespace {

constexpr const char* kModern = "2026-07-28";
constexpr const char* kLegacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr int kLongMs = 3'600'000;  // for what does not change while the server runs
constexpr int kShortMs = 0;         // for what depends on files

Object capabilities() {
  return {
      {"tools", Object::object()}, {"resources", Object::object()}, {"prompts", Object::object()}};
}

Object resource_json(const Resource& each, const char* uri_key) {
  return {{uri_key, each.uri},
          {"name", each.name},
          {"description", each.description},
          {"mimeType", each.type}};
}

Object prompt_json(const Prompt& prompt) {
  Object arguments = Object::array();
  for (const Prompt::Argument& each : prompt.arguments)
    arguments.push_back(
        {{"name", each.name}, {"description", each.description}, {"required", each.is_required}});
  return {{"name", prompt.name},
          {"description", prompt.description},
          {"arguments", std::move(arguments)}};
}

}  // namespace

Request::Request(const std::string& version, const Features& features, const Object& message,
                 const std::stop_token& stop)
    : version_(version),
      features_(features),
      stop_(stop),
      method_(message["method"].get<std::string>()),
      params_(message.contains("params") && message["params"].is_object() ? message["params"]
                                                                          : Object::object()) {}

Object Request::result() {
  find_era();
  Object result = dispatch();
  if (is_modern_) {
    result["resultType"] = "complete";
    result["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info();
  }
  return result;
}

// A request is modern if it names its version. Then it also has to say what the client can do.
void Request::find_era() {
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

Object Request::dispatch() const {
  if (method_ == "server/discover") return discover();
  if (method_ == "initialize" && !is_modern_) return initialize();
  if (method_ == "ping") return Object::object();
  if (method_ == "tools/list") return list_tools();
  if (method_ == "tools/call") return call_tool();
  if (method_ == "resources/list") return list_resources();
  if (method_ == "resources/templates/list") return list_templates();
  if (method_ == "resources/read") return read_resource();
  if (method_ == "prompts/list") return list_prompts();
  if (method_ == "prompts/get") return get_prompt();
  throw ProtocolError{kMethodNotFound, "unknown method"};
}

Object Request::server_info() const { return {{"name", "prof"}, {"version", version_}}; }

Object Request::discover() const {
  return {{"supportedVersions", Object::array({kModern})},
          {"capabilities", capabilities()},
          {"serverInfo", server_info()},
          {"instructions", features_.instructions},
          {"ttlMs", kLongMs},
          {"cacheScope", "private"}};
}

// Returns the version that the client asked for, if it is a legacy one, else the newest of these.
Object Request::initialize() const {
  const auto asked = params_.find("protocolVersion");
  const char* version = kLegacy[0];
  for (const char* each : kLegacy)
    if (asked != params_.end() && *asked == each) version = each;
  return {{"protocolVersion", version},
          {"capabilities", capabilities()},
          {"serverInfo", server_info()},
          {"instructions", features_.instructions}};
}

Object Request::kept_for(int ms, Object result) const {
  if (is_modern_) {
    result["ttlMs"] = ms;
    result["cacheScope"] = "private";
  }
  return result;
}

Object Request::list_tools() const {
  Object list = Object::array();
  for (const Tool& each : features_.tools)
    list.push_back({{"name", each.name},
                    {"description", each.description},
                    {"inputSchema", each.input},
                    {"outputSchema", each.output},
                    {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
  return kept_for(kLongMs, {{"tools", std::move(list)}});
}

Object Request::call_tool() const {
  const auto name = params_.find("name");
  const auto tool = std::ranges::find_if(features_.tools, [&](const Tool& each) {
    return name != params_.end() && *name == each.name;
  });
  if (tool == features_.tools.end()) throw ProtocolError{kInvalidParams, "unknown tool"};
  Object arguments = params_.value("arguments", Object::object());
  if (!arguments.is_object()) throw ProtocolError{kInvalidParams, "arguments is not an object"};
  const base::Result<ToolResult> result = tool->call(arguments, stop_);
  if (!result)
    return {{"content", {{{"type", "text"}, {"text", result.error().message}}}}, {"isError", true}};
  Object content = Object::array();
  content.push_back(
      {{"type", "text"},
       {"text", result->structured.dump(-1, ' ', false, Object::error_handler_t::replace)}});
  if (!result->png.empty())
    content.push_back(
        {{"type", "image"}, {"data", base64_of(result->png)}, {"mimeType", "image/png"}});
  return {{"content", std::move(content)}, {"structuredContent", result->structured}};
}

Object Request::list_resources() const {
  const ResourcePage page = features_.resources.list(cursor());
  Object list = Object::array();
  for (const Resource& each : page.resources) list.push_back(resource_json(each, "uri"));
  Object result = {{"resources", std::move(list)}};
  if (page.next) result["nextCursor"] = std::to_string(*page.next);
  return kept_for(kShortMs, std::move(result));
}

Object Request::list_templates() const {
  Object list = Object::array();
  for (const Resource& each : features_.resources.templates)
    list.push_back(resource_json(each, "uriTemplate"));
  return kept_for(kLongMs, {{"resourceTemplates", std::move(list)}});
}

Object Request::read_resource() const {
  const std::string uri = text_param("uri");
  const base::Result<Resources::Content> content = features_.resources.read(uri);
  if (!content)
    throw ProtocolError{
        is_modern_ ? kInvalidParams : kNoResource, content.error().message, {{"uri", uri}}};
  Object contents = Object::array();
  contents.push_back({{"uri", uri}, {"mimeType", content->type}, {"text", content->text}});
  return kept_for(kShortMs, {{"contents", std::move(contents)}});
}

Object Request::list_prompts() const {
  Object list = Object::array();
  for (const Prompt& each : features_.prompts) list.push_back(prompt_json(each));
  return kept_for(kLongMs, {{"prompts", std::move(list)}});
}

Object Request::get_prompt() const {
  const std::string name = text_param("name");
  const auto prompt = std::ranges::find(features_.prompts, name, &Prompt::name);
  if (prompt == features_.prompts.end()) throw ProtocolError{kInvalidParams, "unknown prompt"};
  Object arguments = params_.value("arguments", Object::object());
  if (!arguments.is_object()) throw ProtocolError{kInvalidParams, "arguments is not an object"};
  for (const Prompt::Argument& each : prompt->arguments) {
    const auto value = arguments.find(each.name);
    const bool is_there = value != arguments.end();
    if ((is_there && !value->is_string()) || (!is_there && each.is_required))
      throw ProtocolError{kInvalidParams, each.name + ": a text is needed"};
  }
  Object messages = Object::array();
  messages.push_back(
      {{"role", "user"}, {"content", {{"type", "text"}, {"text", prompt->text(arguments)}}}});
  return {{"description", prompt->description}, {"messages", std::move(messages)}};
}

std::string Request::text_param(const char* name) const {
  const auto value = params_.find(name);
  if (value == params_.end() || !value->is_string())
    throw ProtocolError{kInvalidParams, std::string(name) + ": a text is needed"};
  return value->get<std::string>();
}

std::size_t Request::cursor() const {
  if (!params_.contains("cursor")) return 0;
  const std::string text = text_param("cursor");
  const char* end = text.data() + text.size();
  std::size_t first = 0;
  const auto [last, error] = std::from_chars(text.data(), end, first);
  if (error != std::errc() || last != end)
    throw ProtocolError{kInvalidParams, "the cursor is not one of this server's"};
  return first;
}

}  // namespace prof::mcp
