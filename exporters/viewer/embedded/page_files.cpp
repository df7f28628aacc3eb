#include "exporters/viewer/embedded/page_files.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace prof::view {

namespace {

// Not constexpr: Clang counts each character of the texts as a step, and allows a million of them.
const PageFile kFiles[] = {
#include "page_files.inc"
};

}  // namespace

std::string_view PageFile::type() const {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes{{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
  }};
  for (const auto& [ending, type] : kTypes)
    if (name.ends_with(ending)) return type;
  return "application/octet-stream";
}

std::span<const PageFile> page_files() { return kFiles; }

const PageFile* find_page_file(std::string_view name) {
  const auto files = page_files();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const PageFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace prof::view
