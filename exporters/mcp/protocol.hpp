// The Model Context Protocol, as a server: each message is a line of JSON-RPC.
//
// Clients of the revision 2026-07-28 name their version in each request
// ("_meta") and ask server/discover what the server can do. Older clients begin
// with initialize. The server keeps no state for either, so one line never
// depends on another one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "exporters/mcp/features.hpp"

namespace prof::mcp {

class Server {
 public:
  Server(std::string version, Features features)
      : version_(std::move(version)), features_(std::move(features)) {}

  // Returns the answer to a line, without a line break at its end. Empty:
  // notifications get none.
  std::optional<std::string> answer(std::string_view line) const;

 private:
  std::string version_;
  Features features_;
};

inline constexpr std::size_t kMaxLineBytes = 1'000'000;

}  // namespace prof::mcp
