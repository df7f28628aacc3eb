#include "common/base/held/temporary_places.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "common/base/folder.hpp"
#include "common/base/held/private_folder.hpp"

namespace prof::base {

namespace {

constexpr char kPrefix[] = "prof-";
constexpr std::size_t kLetters = 6;  // the letters that mkdtemp() adds
constexpr mode_t kPermissions = 0777;

// True if only this user and root can rename what is created there.
bool is_safe(const std::string& place) {
  struct stat info {};
  if (stat(place.c_str(), &info) != 0) return false;
  const bool trusted = info.st_uid == 0 || info.st_uid == geteuid();
  return trusted && ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (info.st_mode & S_ISVTX) != 0);
}

bool is_own_folder(const std::string& path, mode_t mode) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & kPermissions & ~mode) == 0;
}

// True for the names of prof's folders: prof-PID-xxxxxx, prof-live-xxxxxx and prof-view-xxxxxx.
bool is_of_prof(std::string_view name) {
  if (!name.starts_with(kPrefix) || name.size() <= sizeof kPrefix + kLetters) return false;
  name.remove_prefix(sizeof kPrefix - 1);
  if (name[name.size() - kLetters - 1] != '-') return false;
  name.remove_suffix(kLetters + 1);
  return name == "live" || name == "view" ||
         name.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string folder_in_variable(const char* variable) {
  const char* value = getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

std::vector<std::string> temporary_places() {
  std::vector<std::string> places;
  for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"})
    if (std::string folder = folder_in_variable(variable); !folder.empty())
      places.push_back(std::move(folder));
  places.emplace_back("/tmp");
  std::ranges::stable_partition(places, is_safe);
  return places;
}

std::vector<std::string> safe_temporary_places() {
  std::vector<std::string> places = temporary_places();
  std::erase_if(places, [](const std::string& place) { return !is_safe(place); });
  return places;
}

std::string place_for_large_files() {
  const std::string folder = folder_in_variable("TMPDIR");
  return folder.empty() ? "/tmp" : folder;
}

void remove_left_temporaries() {
  for (const std::string& place : temporary_places())
    for_each_name(place, [&](std::string_view name) {
      if (is_of_prof(name)) remove_left_folder(place + "/" + std::string(name));
    });
}

Result<std::string> make_own_folder(const std::string& path, mode_t mode) {
  // Sets the mode by chmod, because a umask can remove even the owner's rights.
  if (mkdir(path.c_str(), mode) == 0) static_cast<void>(chmod(path.c_str(), mode));
  const int error = errno;
  if (const auto found = own_folders(path, mode); !found.empty()) return found.front();
  std::string other = path + ".XXXXXX";
  if (error == EEXIST && mkdtemp(other.data()) != nullptr && chmod(other.c_str(), mode) == 0)
    return other;
  return fail_errno("cannot create the folder " + path, error == EEXIST ? errno : error);
}

std::vector<std::string> own_folders(const std::string& path, mode_t mode) {
  std::vector<std::string> folders;
  if (is_own_folder(path, mode)) folders.push_back(path);
  const std::filesystem::path whole(path);
  const std::string prefix = whole.filename().string() + ".";
  for_each_name(whole.parent_path().string(), [&](std::string_view name) {
    std::string other = (whole.parent_path() / name).string();
    if (name.size() == prefix.size() + kLetters && name.starts_with(prefix) &&
        is_own_folder(other, mode))
      folders.push_back(std::move(other));
  });
  return folders;
}

}  // namespace prof::base
