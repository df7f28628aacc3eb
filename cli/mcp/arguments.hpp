// The arguments that a client passes to a tool. They may have any type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exporters/mcp/features.hpp"

namespace prof::cli {

// The functions throw Failure if an argument is missing or has another type.
class Arguments {
 public:
  explicit Arguments(const mcp::Object& object) : object_(object) {}

  std::string text(const char* name) const;
  std::string text_or(const char* name, const std::string& usual) const;
  std::vector<std::string> texts(const char* name) const;
  std::int64_t integer(const char* name, std::int64_t usual, std::int64_t least,
                       std::int64_t most) const;
  bool flag(const char* name) const;

 private:
  const mcp::Object& object_;
};

}  // namespace prof::cli
