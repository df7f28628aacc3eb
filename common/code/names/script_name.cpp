#include "common/code/names/script_name.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace prof::names {

namespace {

constexpr std::string_view kFileUrl = "file://";

// Removes the kind of the code and the mark of the compiler that made it: "JS:*" or
// "LazyCompile:~".
bool remove_kind(std::string_view& symbol) {
  for (const std::string_view kind : {"JS:", "LazyCompile:", "Function:", "Script:", "Eval:"}) {
    if (!symbol.starts_with(kind)) continue;
    symbol.remove_prefix(kind.size());
    const std::size_t name = symbol.find_first_not_of("*~^+");
    symbol.remove_prefix(std::min(name, symbol.size()));
    return true;
  }
  return false;
}

// Removes ":NUMBER" from the end of the text. Returns the number, or -1 if there is none.
std::int64_t remove_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return -1;
  std::int64_t number = -1;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + colon + 1, end, number);
  if (error != std::errc() || at != end || number < 0) return -1;
  text = text.substr(0, colon);
  return number;
}

// Returns the position of the blank before the file. Names of functions and of files can have
// blanks, so a blank before the beginning of a path or URL is preferred.
std::size_t blank_before_file(std::string_view text) {
  std::size_t first = text.npos;
  for (const std::string_view begin : {" /", " file://", " node:"})
    first = std::min(first, text.find(begin));
  return first != text.npos ? first : text.rfind(' ');
}

}  // namespace

std::optional<ScriptFunction> script_function(std::string_view symbol) {
  if (!remove_kind(symbol)) return std::nullopt;
  const std::int64_t last = remove_number(symbol);
  if (last < 0) return std::nullopt;
  const std::int64_t before = remove_number(symbol);
  const std::size_t blank = blank_before_file(symbol);
  if (blank == symbol.npos) return std::nullopt;
  std::string_view function = symbol.substr(0, blank);
  std::string_view file = symbol.substr(blank + 1);
  while (function.ends_with(' ')) function.remove_suffix(1);
  if (file.starts_with(kFileUrl)) file.remove_prefix(kFileUrl.size());
  if (file.empty()) return std::nullopt;
  // Old versions give no column.
  return ScriptFunction{function.empty() ? "(anonymous)" : std::string(function), std::string(file),
                        before >= 0 ? before : last};
}

}  // namespace prof::names
