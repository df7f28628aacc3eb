#include "common/base/unnamed_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

namespace prof::base {

UniqueFd create_unnamed_file(const std::string& folder) {
  UniqueFd file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  // Some file systems support only files with names.
  std::string path = folder + "/.prof-XXXXXX";
  UniqueFd named(mkostemp(path.data(), O_CLOEXEC));
  if (named) unlink(path.c_str());
  return named;
}

}  // namespace prof::base
