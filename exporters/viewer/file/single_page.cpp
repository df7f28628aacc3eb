#include "exporters/viewer/file/single_page.hpp"

#include <cstdint>
#include <string_view>

#include "exporters/viewer/embedded/page_files.hpp"

namespace prof::view {

namespace {

// A part of the page: bytes of a file, or `text` if there is no file.
struct Piece {
  std::string_view file;
  std::uint32_t begin;
  std::uint32_t size;
  std::string_view text;
};

const Piece kPieces[] = {
#include "single_page.inc"
};

}  // namespace

std::string single_page() {
  std::string page;
  for (const Piece& piece : kPieces) {
    if (piece.file.empty())
      page += piece.text;
    else if (const PageFile* file = find_page_file(piece.file))
      page += file->content.substr(piece.begin, piece.size);
  }
  return page;
}

}  // namespace prof::view
