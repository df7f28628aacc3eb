// Folders that only this user can enter, and that are removed with their object. A file in each
// folder is locked as long as its prof lives (held_file.hpp), so that prof recognises the folders
// of a killed prof.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::base {

class PrivateFolder {
 public:
  // Creates PREFIXxxxxxx, with six letters that make a new name.
  static Result<PrivateFolder> create(const std::string& prefix);
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  const std::string& path() const { return path_; }
  // Returns false if the folder was removed, even if another folder has its name now.
  bool is_there() const;

 private:
  PrivateFolder(std::string path, UniqueFd lock, ino_t inode)
      : path_(std::move(path)), lock_(std::move(lock)), inode_(inode) {}
  std::string path_;
  UniqueFd lock_;
  ino_t inode_;
};

// Removes the folder and its contents, if it belongs to this user and no prof holds it. Calls
// `is_wanted` before, while this prof holds the folder. An empty folder is removed, too: its prof
// was killed before it could lock it. A folder with other files but no lock stays.
void remove_left_folder(
    const std::string& path, const std::function<bool()>& is_wanted = [] { return false; });

// Removes the folder, held or not.
void remove_folder(const std::string& path);

}  // namespace prof::base
