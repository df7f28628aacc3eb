// Answers one request of the Model Context Protocol.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>

#include "exporters/mcp/features.hpp"

namespace prof::mcp {

enum Code {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kUnknownVersion = -32022,
  kNoResource = -32002,  // for legacy clients; others get kInvalidParams
};

struct ProtocolError {
  int code;
  std::string message;
  Object data = nullptr;
};

class Request {
 public:
  // `message` is a request with an id and a method. The other arguments must outlive the request.
  Request(const std::string& version, const Features& features, const Object& message,
          const std::stop_token& stop);

  // Throws ProtocolError.
  Object result();

 private:
  void find_era();
  Object dispatch() const;
  Object server_info() const;
  Object discover() const;
  Object initialize() const;
  // Adds how long a modern client may keep the result.
  Object kept_for(int ms, Object result) const;
  Object list_tools() const;
  Object call_tool() const;
  Object list_resources() const;
  Object list_templates() const;
  Object read_resource() const;
  Object list_prompts() const;
  Object get_prompt() const;
  // Returns the parameter if it is a text. Throws ProtocolError.
  std::string text_param(const char* name) const;
  // Returns where the page begins that the client asks for. Throws ProtocolError.
  std::size_t cursor() const;

  const std::string& version_;
  const Features& features_;
  const std::stop_token& stop_;
  std::string method_;
  Object params_;
  bool is_modern_ = false;
};

}  // namespace prof::mcp
