#include "cli/mcp/arguments.hpp"

#include <fmt/format.h>

#include "cli/messages/failure.hpp"

namespace prof::cli {

std::string Arguments::text(const char* name) const {
  const auto at = object_.find(name);
  if (at == object_.end() || !at->is_string())
    throw Failure(fmt::format("{}: a text is needed", name));
  return at->get<std::string>();
}

std::string Arguments::text_or(const char* name, const std::string& usual) const {
  return object_.contains(name) ? text(name) : usual;
}

std::vector<std::string> Arguments::texts(const char* name) const {
  constexpr std::size_t kMost = 50;
  const auto at = object_.find(name);
  if (at == object_.end() || !at->is_array() || at->empty() || at->size() > kMost)
    throw Failure(fmt::format("{}: a list of 1 to {} texts is needed", name, kMost));
  std::vector<std::string> texts;
  for (const mcp::Object& each : *at) {
    if (!each.is_string()) throw Failure(fmt::format("{}: a list of texts is needed", name));
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

std::vector<std::string> Arguments::texts_or_none(const char* name) const {
  return object_.contains(name) ? texts(name) : std::vector<std::string>();
}

std::int64_t Arguments::integer(const char* name, std::int64_t usual, std::int64_t least,
                                std::int64_t most) const {
  const auto at = object_.find(name);
  if (at == object_.end()) return usual;
  // An unsigned number beyond the signed ones would become a negative one.
  if (!at->is_number_integer() ||
      (at->is_number_unsigned() && at->get<std::uint64_t>() > INT64_MAX) ||
      at->get<std::int64_t>() < least || at->get<std::int64_t>() > most)
    throw Failure(fmt::format("{}: a whole number from {} to {} is needed", name, least, most));
  return at->get<std::int64_t>();
}

bool Arguments::flag(const char* name) const {
  const auto at = object_.find(name);
  if (at == object_.end()) return false;
  if (!at->is_boolean()) throw Failure(fmt::format("{}: true or false is needed", name));
  return at->get<bool>();
}

Page::Page(const Arguments& arguments, std::int64_t usual_rows)
    : rows(static_cast<std::size_t>(arguments.integer("rows", usual_rows, 1, 200))),
      offset(static_cast<std::size_t>(arguments.integer("offset", 0, 0, INT32_MAX))) {}

void Page::add_next(bool has_more, std::size_t kept, mcp::Object& result) const {
  if (has_more) result["next_offset"] = offset + kept;
}

}  // namespace prof::cli
