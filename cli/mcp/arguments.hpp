// The arguments that a client passes to a tool. They may have any type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "exporters/mcp/features.hpp"

namespace prof::cli {

// The functions throw Failure if an argument is missing or has another type.
class Arguments {
 public:
  explicit Arguments(const mcp::Object& object, std::stop_token stop = {})
      : object_(object), stop_(std::move(stop)) {}

  std::string text(const char* name) const;
  std::string text_or(const char* name, const std::string& usual) const;
  std::vector<std::string> texts(const char* name) const;
  std::vector<std::string> texts_or_none(const char* name) const;
  std::int64_t integer(const char* name, std::int64_t usual, std::int64_t least,
                       std::int64_t most) const;
  bool flag(const char* name) const;

  // True from when the client has cancelled the call.
  const std::stop_token& stop() const { return stop_; }

 private:
  const mcp::Object& object_;
  std::stop_token stop_;
};

// The part of a list that a client asks for: "rows" of them, after the first "offset" ones.
struct Page {
  explicit Page(const Arguments& arguments, std::int64_t usual_rows = 20);

  // Keeps the page of a list, and adds "next_offset" to `result` if the list goes on.
  template <class List>
  void cut(List& list, mcp::Object& result) const {
    const std::size_t all = list.size();
    list.resize(std::min(all, offset + rows));
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(std::min(all, offset)));
    add_next(all > offset + rows, rows, result);
  }
  // `kept`: how many rows of the list the result has.
  void add_next(bool has_more, std::size_t kept, mcp::Object& result) const;

  std::size_t rows;
  std::size_t offset;
};

}  // namespace prof::cli
