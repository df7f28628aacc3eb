#include "common/code/symbols/debug_files.hpp"

#include <zlib.h>

#include <fstream>

namespace prof::symbols {
namespace {

// Compares with the CRC of .gnu_debuglink, which is zlib's over the whole file.
bool has_crc(const std::string& path, std::uint32_t crc) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> piece(1U << 16);
  std::uint32_t found = 0;
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())), file.gcount() > 0)
    found =
        static_cast<std::uint32_t>(crc32_z(found, reinterpret_cast<unsigned char*>(piece.data()),
                                           static_cast<std::size_t>(file.gcount())));
  return found == crc;
}

std::vector<std::string> linked_places(const std::string& name, const std::string& path,
                                       const std::vector<std::string>& folders) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  std::vector<std::string> places{folder + name, folder + ".debug/" + name};
  for (const std::string& each : folders) {
    places.push_back(each);
    places.back().append("/").append(folder).append(name);
  }
  return places;
}

}  // namespace

std::optional<ElfImage> open_debug_file(const ElfImage& image, const std::string& path,
                                        const std::vector<std::string>& folders) {
  const std::string id = image.build_id();
  if (id.size() > 2) {
    for (const std::string& folder : folders) {
      auto file =
          ElfImage::open(folder + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
      if (file && file->build_id() == id) return std::move(*file);
    }
  }
  const auto link = image.debug_link();
  if (!link) return {};
  for (const std::string& place : linked_places(link->name, path, folders)) {
    if (place == path) continue;
    auto file = ElfImage::open(place);
    if (!file) continue;
    // A file may have gigabytes, so its CRC is computed only if there is no build-id.
    const bool belongs = id.empty() ? has_crc(place, link->crc) : file->build_id() == id;
    if (belongs) return std::move(*file);
  }
  return {};
}

}  // namespace prof::symbols
