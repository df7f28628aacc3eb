// Which files a client may read.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::mcp {

// The folders and reports that the user named. A client reads reports in them,
// and nothing else: the real path counts, so links and .. do not lead out.
class Roots {
 public:
  // Fails if a name does not exist.
  static base::Result<Roots> open(const std::vector<std::string>& names);

  // Returns the real path of an ordinary file in the roots. Relative names are
  // below the first folder. Folders are not returned.
  base::Result<std::string> file(const std::string& name) const;

  struct Report {
    std::string path;
    std::uintmax_t bytes;
  };
  // Returns the files in the roots that can be reports, by path; at most
  // `most`. Does not follow links to folders.
  std::vector<Report> reports(std::size_t most) const;

 private:
  explicit Roots(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  bool contains(const std::string& real) const;
  std::vector<std::string> paths_;  // real paths of folders and files
};

}  // namespace prof::mcp
