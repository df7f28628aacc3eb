// Reads source files that a report names, from folders that the user allowed. A report is not
// trusted: it can name any file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace prof::view {

struct SourceFile {
  std::string path;
  std::string text;
  std::int64_t modified = 0;  // ns since 1970
};

class SourceFolders {
 public:
  // Larger files are not sources that people wrote.
  static constexpr std::size_t kMaxBytes = std::size_t{2} << 20;

  SourceFolders() = default;
  // Fails if one of the folders does not exist.
  static base::Result<SourceFolders> make(const std::vector<std::string>& folders);

  bool empty() const { return folders_.empty(); }
  // Returns the file whose path ends most like the name: /build/a/b.cu is FOLDER/build/a/b.cu,
  // FOLDER/a/b.cu or FOLDER/b.cu. Only regular files below the folders are read, wherever links
  // lead, and only those that are texts.
  std::optional<SourceFile> read(std::string_view name) const;

 private:
  std::vector<std::string> folders_;  // without links
};

}  // namespace prof::view
