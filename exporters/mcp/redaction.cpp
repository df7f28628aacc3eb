#include "exporters/mcp/redaction.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace prof::mcp {

namespace {

constexpr char kCut[] = "…";

bool is_of_name(char each) {
  return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_' || each == '-';
}

bool is_of_path(char each) {
  return std::string_view(" \t\n\"'`:,;()[]{}<>|&=*?").find(each) == std::string_view::npos;
}

// An absolute path begins with a slash that is not within a word: "/a/b", "file=/a/b", not "km/h".
bool can_begin_path(std::string_view text, std::size_t at) {
  return text[at] == '/' && (at == 0 || !is_of_path(text[at - 1]));
}

bool ends_part(std::string_view path, std::size_t at) {
  return at >= path.size() || path[at] == '/' || !is_of_path(path[at]);
}

}  // namespace

void Redaction::hide_homes(const std::string& home) {
  hides_homes_ = true;
  home_ = home.size() > 1 && home.starts_with('/') ? home : "";
  while (home_.ends_with('/')) home_.pop_back();
}

void Redaction::hide(const std::string& text, const std::string& by) {
  if (text.empty()) return;
  hidden_.push_back({text, by});
  std::ranges::stable_sort(hidden_, std::ranges::greater(),
                           [](const Hidden& each) { return each.text.size(); });
}

std::string Redaction::without_hidden(std::string text) const {
  for (const Hidden& each : hidden_) {
    std::size_t at = 0;
    while ((at = text.find(each.text, at)) != std::string::npos) {
      const std::size_t end = at + each.text.size();
      const bool is_alone =
          (at == 0 || !is_of_name(text[at - 1]) || !is_of_name(text[at])) &&
          (end == text.size() || !is_of_name(text[end]) || !is_of_name(text[end - 1]));
      if (is_alone) text.replace(at, each.text.size(), each.by);
      at += is_alone ? each.by.size() : 1;
    }
  }
  return text;
}

// Returns how many bytes of the path are a home; 0: none.
std::size_t Redaction::home_size(std::string_view path) const {
  if (!hides_homes_) return 0;
  for (const std::string_view home : {std::string_view(home_), std::string_view("/root")})
    if (!home.empty() && path.starts_with(home) && ends_part(path, home.size())) return home.size();
  constexpr std::string_view kHomes = "/home/";
  if (!path.starts_with(kHomes)) return 0;
  std::size_t end = kHomes.size();
  while (!ends_part(path, end)) ++end;
  return end == kHomes.size() ? 0 : end;
}

// Returns the path that begins there. The user's home may have blanks.
std::string_view Redaction::path_at(std::string_view text, std::size_t at) const {
  std::size_t end = at + home_size(text.substr(at));
  while (end < text.size() && is_of_path(text[end])) ++end;
  return text.substr(at, end - at);
}

std::string Redaction::shown_path(std::string_view path) const {
  const std::size_t home = home_size(path);
  const std::string shown = home == 0 ? std::string(path) : '~' + std::string(path.substr(home));
  if (!hides_paths_) return shown;
  const std::size_t end = shown.find_last_not_of('/');
  const std::size_t slash = end == std::string::npos ? end : shown.rfind('/', end);
  // "/dev" and "~" say nothing.
  return slash == std::string::npos || slash == 0 ? shown : kCut + shown.substr(slash);
}

std::string Redaction::text(std::string_view from) const {
  if (std::ranges::find(whole_, from) != whole_.end()) return kCut;
  const std::string text = without_hidden(std::string(from));
  if (!hides_homes_ && !hides_paths_) return text;
  std::string to;
  for (std::size_t at = 0; at < text.size();) {
    if (!can_begin_path(text, at)) {
      to += text[at++];
      continue;
    }
    const std::string_view path = path_at(text, at);
    to += shown_path(path);
    at += path.size();
  }
  return to;
}

Object Redaction::json(const Object& from) const {
  if (from.is_string()) return text(from.get_ref<const std::string&>());
  if (!from.is_structured()) return from;
  Object to = from;
  for (Object& each : to) each = json(each);
  return to;
}

}  // namespace prof::mcp
