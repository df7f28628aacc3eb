#include "common/base/held/recorded_place.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "common/base/folder.hpp"

namespace prof::base {

namespace fs = std::filesystem;

namespace {

// The file, or a folder above it. A description has "DEVICE INODE PATH" and a null character for
// each place, the file first.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  std::string path;
};

std::optional<FileIdentity> place_of(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return {};
  return FileIdentity{info.st_dev, info.st_ino, path};
}

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr == text.data() + text.size()) return false;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()) + 1);
  return true;
}

std::vector<FileIdentity> places_of(std::string_view description) {
  std::vector<FileIdentity> places;
  for (std::size_t end; (end = description.find('\0')) != std::string_view::npos;
       description.remove_prefix(end + 1)) {
    std::string_view text = description.substr(0, end);
    FileIdentity place{};
    if (!take_number(text, place.device) || !take_number(text, place.inode)) return {};
    place.path = text;
    places.push_back(std::move(place));
  }
  return places;
}

bool is_same(const FileIdentity& a, const FileIdentity& b) {
  return a.device == b.device && a.inode == b.inode;
}

bool is_in(const std::string& folder, const FileIdentity& file) {
  bool found = false;
  for_each_name(folder, [&](std::string_view name) {
    const auto other = place_of(folder + "/" + std::string(name));
    found |= other && is_same(*other, file);
  });
  return found;
}

}  // namespace

std::string describe_place(const std::string& path) {
  std::error_code error;
  const fs::path given = fs::absolute(path);
  fs::path at = fs::canonical(given.parent_path(), error) / given.filename();
  std::string description;
  for (bool has_more = !error; has_more; at = at.parent_path()) {
    const auto place = place_of(at.string());
    if (!place) return {};
    description += fmt::format("{} {} {}", place->device, place->inode, place->path) + '\0';
    has_more = at.has_relative_path();
  }
  return description;
}

// True if the innermost existing folder is the same as before: then everything below it was
// removed. Otherwise another file system may be mounted there.
bool is_gone(const std::string& description) {
  const std::vector<FileIdentity> places = places_of(description);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto now = place_of(places[i].path);
    if (now) return i > 0 && is_same(*now, places[i]) && !is_in(now->path, places[i - 1]);
  }
  return false;
}

}  // namespace prof::base
