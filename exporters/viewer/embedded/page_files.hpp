// Holds the files of exporters/viewer/page, which are part of the program.
#pragma once

#include <span>
#include <string_view>

namespace prof::view {

struct PageFile {
  std::string_view name;  // "app.js"
  std::string_view content;

  // Returns the value for the field Content-Type.
  std::string_view type() const;
};

std::span<const PageFile> page_files();
// Returns the file, or null if there is none of that name.
const PageFile* find_page_file(std::string_view name);

}  // namespace prof::view
