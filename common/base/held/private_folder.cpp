#include "common/base/held/private_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "common/base/folder.hpp"
#include "common/base/held/held_file.hpp"

namespace prof::base {

namespace {

constexpr char kLock[] = ".prof-lock";

std::string lock_of(const std::string& folder) { return folder + "/" + kLock; }

bool is_ours(const std::string& path, struct stat& info) {
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

}  // namespace

Result<PrivateFolder> PrivateFolder::create(const std::string& prefix) {
  constexpr int kTries = 100;  // another prof may take the empty folder for a left one
  for (int i = 0; i < kTries; ++i) {
    std::string path = prefix + "XXXXXX";
    struct stat info {};
    // Sets the mode by chmod, because a umask can remove even the owner's rights.
    const bool is_made = mkdtemp(path.data()) != nullptr;
    if (is_made && chmod(path.c_str(), 0700) == 0 && is_ours(path, info))
      if (UniqueFd lock = create_held_file(lock_of(path)))
        return PrivateFolder(std::move(path), std::move(lock), info.st_ino);
    if (is_made && errno == ENOENT) continue;
    const int error = errno;
    if (is_made) rmdir(path.c_str());
    return fail_errno("cannot create the folder " + path, error);
  }
  return fail_errno("cannot create a folder " + prefix, EAGAIN);
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)), inode_(other.inode_) {}

PrivateFolder::~PrivateFolder() {
  if (is_there()) remove_folder(path_);
}

bool PrivateFolder::is_there() const {
  struct stat info {};
  return !path_.empty() && is_ours(path_, info) && info.st_ino == inode_;
}

void remove_left_folder(const std::string& path, const std::function<bool()>& is_wanted) {
  struct stat info {};
  if (!is_ours(path, info)) return;
  const UniqueFd lock = take_left_file(lock_of(path));
  if (!lock)
    rmdir(path.c_str());
  else if (!is_wanted())
    remove_folder(path);
}

// Removes the lock last, so that the next prof continues if this one is killed.
void remove_folder(const std::string& path) {
  std::error_code ignored;
  for_each_name(path, [&](std::string_view name) {
    if (name != kLock) std::filesystem::remove_all(path + "/" + std::string(name), ignored);
  });
  unlink(lock_of(path).c_str());
  rmdir(path.c_str());
}

}  // namespace prof::base
