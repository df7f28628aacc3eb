#include "exporters/viewer/answers/source/source_folders.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "common/base/unique_fd.hpp"

namespace prof::view {

namespace {

bool is_below(std::string_view path, const std::string& folder) {
  if (folder == "/") return path.starts_with('/');
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// Returns where the open file is, after all links. Empty if that is not known.
std::string place_of(int file) {
  std::array<char, 4096> place{};
  const ssize_t length =
      readlink(fmt::format("/proc/self/fd/{}", file).c_str(), place.data(), place.size());
  if (length <= 0 || static_cast<std::size_t>(length) == place.size()) return {};
  return std::string(place.data(), static_cast<std::size_t>(length));
}

std::optional<std::string> read_text(int file, std::size_t most) {
  std::string text;
  std::array<char, 1 << 16> part;
  for (;;) {
    const ssize_t length = read(file, part.data(), part.size());
    if (length < 0) return std::nullopt;
    if (length == 0) break;
    text.append(part.data(), static_cast<std::size_t>(length));
    if (text.size() > most) return std::nullopt;
  }
  if (text.find('\0') != std::string::npos) return std::nullopt;
  return text;
}

std::optional<SourceFile> read_below(const std::string& folder, const std::string& path) {
  // A pipe without a writer must not block, and a terminal must not become prof's.
  const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!file || fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  SourceFile source{place_of(file.get()), {}, 0};
  if (!is_below(source.path, folder)) return std::nullopt;
  auto text = read_text(file.get(), SourceFolders::kMaxBytes);
  if (!text) return std::nullopt;
  source.text = *std::move(text);
  source.modified =
      std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + std::int64_t{facts.st_mtim.tv_nsec};
  return source;
}

// Returns the parts of a path. Empty if a part would lead upwards.
std::vector<std::string> parts_of(std::string_view name) {
  constexpr std::size_t kMaxParts = 100;
  std::vector<std::string> parts;
  if (name.size() >= 4096 || name.find('\0') != std::string_view::npos) return parts;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string part(name.substr(at, end - at));
    at = end + 1;
    if (part == ".." || parts.size() == kMaxParts) return {};
    if (!part.empty() && part != ".") parts.push_back(part);
  }
  return parts;
}

}  // namespace

base::Result<SourceFolders> SourceFolders::make(const std::vector<std::string>& folders) {
  SourceFolders made;
  for (const std::string& each : folders) {
    std::error_code error;
    const auto place = std::filesystem::canonical(each, error);
    if (error || !std::filesystem::is_directory(place, error))
      return base::fail(each + " is not a folder");
    made.folders_.push_back(place.string());
  }
  return made;
}

std::optional<SourceFile> SourceFolders::read(std::string_view name) const {
  const std::vector<std::string> parts = parts_of(name);
  if (parts.empty()) return std::nullopt;
  for (const std::string& folder : folders_)
    if (is_below(name, folder))
      if (auto file = read_below(folder, std::string(name))) return file;
  for (std::size_t first = 0; first < parts.size(); ++first) {
    std::string end;
    for (std::size_t at = first; at < parts.size(); ++at) end += '/' + parts[at];
    for (const std::string& folder : folders_)
      if (auto file = read_below(folder, folder + end)) return file;
  }
  return std::nullopt;
}

}  // namespace prof::view
