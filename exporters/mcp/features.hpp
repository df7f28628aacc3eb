// What a server of the Model Context Protocol offers to its clients.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
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
  Object input;   // JSON schema
  Object output;  // JSON schema of ToolResult::structured
  // `stop`: the client no longer wants the result.
  std::function<base::Result<ToolResult>(const Object& arguments, const std::stop_token& stop)>
      call;
};

// A text that a client can read. `uri` of a template has parts in braces.
struct Resource {
  std::string uri;
  std::string name;
  std::string description;
  std::string type;  // "text/markdown"
};

struct ResourcePage {
  std::vector<Resource> resources;
  std::optional<std::size_t> next = {};  // where the next page begins; empty: this is the last one
};

struct Resources {
  // `first` is 0 or `next` of another page.
  std::function<ResourcePage(std::size_t first)> list;
  std::vector<Resource> templates;
  struct Content {
    std::string type;
    std::string text;
  };
  // Fails if there is no such resource.
  std::function<base::Result<Content>(const std::string& uri)> read;
};

// A request that a person chooses, for the model.
struct Prompt {
  struct Argument {
    std::string name;
    std::string description;
    bool is_required;
  };
  std::string name;
  std::string description;
  std::vector<Argument> arguments;
  // Gets a text for each required argument; those of other arguments may be missing.
  std::function<std::string(const Object& arguments)> text;
};

struct Features {
  std::string instructions;  // what a model should know before it uses the tools
  std::vector<Tool> tools;
  Resources resources;
  std::vector<Prompt> prompts;
};

}  // namespace prof::mcp
