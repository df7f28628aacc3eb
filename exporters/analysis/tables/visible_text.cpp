#include "exporters/analysis/tables/visible_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/base/text/printable.hpp"
#include "common/base/utf8.hpp"
#include "exporters/analysis/tables/cell_text.hpp"

namespace prof::tables {

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return !base::continues_character(c); }));
}

void shorten(std::string& text, std::size_t most) {
  if (text.size() <= most || display_width(text) <= most) return;
  std::size_t characters = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (!base::continues_character(text[at]) && ++characters == most) break;
  text.resize(at);
  text += "…";
}

void make_visible(std::string& text) {
  if (base::is_printable(text)) return;
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const auto [bytes, is_printable] = base::first_character(rest);
    if (is_printable)
      out += bytes;
    else if (bytes == "\n" || bytes == "\t")
      out += bytes == "\n" ? "\\n" : "\\t";
    else
      for (const char byte : bytes)
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    rest.remove_prefix(bytes.size());
  }
  text = std::move(out);
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string line;
  add_plain_text(line, Text(text), {"", CellKind::kText});
  make_visible(line);
  shorten(line, most);
  return line;
}

std::string wrap_lines(std::string text, std::size_t width, std::string_view indent) {
  for (std::size_t start = 0; display_width(std::string_view(text).substr(start)) > width;) {
    // `end` is the end of the longest piece that fits. The first word of the piece is not broken.
    std::size_t end = start;
    for (std::size_t characters = 0; characters <= width; ++end)
      characters += base::continues_character(text[end]) ? 0 : 1;
    const std::size_t first = text.find_first_not_of(' ', start);
    std::size_t blank = text.rfind(' ', end - 1);
    if (blank == std::string::npos || blank <= first) blank = text.find(' ', end);
    if (blank == std::string::npos) break;
    text.replace(blank, 1, "\n" + std::string(indent));
    start = blank + 1;
  }
  return text;
}

std::vector<std::string> fill_lines(const std::vector<std::string>& parts, std::string_view gap,
                                    std::size_t width, std::string_view indent) {
  std::vector<std::string> lines;
  for (const std::string& part : parts) {
    const std::size_t taken = lines.empty() ? width : display_width(lines.back());
    if (!lines.empty() && taken + display_width(gap) + display_width(part) <= width)
      lines.back().append(gap).append(part);
    else
      lines.push_back((lines.empty() ? "" : std::string(indent)) + part);
  }
  return lines;
}

}  // namespace prof::tables
