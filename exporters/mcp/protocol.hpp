// The Model Context Protocol, as a server: each message is a line of JSON-RPC.
//
// Clients of the revision 2026-07-28 name their version in each request
// ("_meta") and ask server/discover what the server can do. Older clients begin
// with initialize. The server keeps no state for either, so one line never
// depends on another one.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "exporters/mcp/features.hpp"

namespace prof::mcp {

class Server {
 public:
  Server(std::string version, Features features)
      : version_(std::move(version)), features_(std::move(features)) {}

  // Returns the answer to a line, without a line break at its end. Empty: notifications get none,
  // and requests that `stop` has cancelled.
  std::optional<std::string> answer(std::string_view line, const std::stop_token& stop = {}) const;

 private:
  std::string version_;
  Features features_;
};

// Returns the id of a request.
std::optional<Object> request_id(std::string_view line);

// Returns the id of the request that a line cancels. Empty: it is another message.
std::optional<Object> cancelled_id(std::string_view line);

inline constexpr std::size_t kMaxLineBytes = 1'000'000;

}  // namespace prof::mcp
