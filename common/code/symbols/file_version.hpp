// Distinguishes a file from another one that replaced it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace prof::symbols {

// Identifies a version of a file. The build-id decides, if there is one. Otherwise the file must be
// the mapped one, unchanged since. Unknown numbers are 0.
struct FileVersion {
  std::string build_id{};  // hexadecimal
  std::uint64_t inode = 0;
  std::int64_t modified = 0;  // ns since 1970

  auto operator<=>(const FileVersion&) const = default;  // NOLINT(modernize-use-nullptr)

  static FileVersion of(const struct stat& info) {
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    return {{}, info.st_ino, info.st_mtim.tv_sec * kNanoseconds + info.st_mtim.tv_nsec};
  }
  // True if `found` is the same file. `found` must have its build-id if this version has one.
  bool is_that_of(const FileVersion& found) const {
    if (!build_id.empty()) return build_id == found.build_id;
    return (inode == 0 || inode == found.inode) && (modified == 0 || modified == found.modified);
  }
};

// True if the file at the path is of this version. The version has no build-id.
inline bool is_version_at(const std::string& path, const FileVersion& version) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && version.is_that_of(FileVersion::of(info));
}

}  // namespace prof::symbols
