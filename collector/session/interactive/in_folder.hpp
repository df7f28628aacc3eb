// As long as it exists, relative paths are relative to the folder in which a command was given. The
// collector's own folder is the root folder, so that it keeps no file system busy.
#pragma once

#include <filesystem>
#include <string>

namespace prof::session {

class InFolder {
 public:
  explicit InFolder(const std::string& folder) {
    std::error_code ignored;
    if (!folder.empty()) std::filesystem::current_path(folder, ignored);
  }
  ~InFolder() {
    std::error_code ignored;
    std::filesystem::current_path("/", ignored);
  }
  InFolder(const InFolder&) = delete;
};

}  // namespace prof::session
