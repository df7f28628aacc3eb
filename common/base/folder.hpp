// Lists the names in a folder, at a tenth of the cost of std::filesystem's iterator, which builds a
// path for each name. prof looks through /tmp whenever it starts.
#pragma once

#include <dirent.h>

#include <memory>
#include <string>
#include <string_view>

namespace prof::base {

// Calls `visit` with each name but "." and "..", in any order, as std::string_view that is valid
// during the call. A folder that cannot be read has none.
template <class Visit>
void for_each_name(const std::string& folder, Visit visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  if (!open) return;
  while (const dirent* entry = readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") visit(name);
  }
}

}  // namespace prof::base
