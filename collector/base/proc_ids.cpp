#include "collector/base/proc_ids.hpp"

#include <charconv>

#include "collector/base/folder.hpp"

namespace prof::base {

std::vector<pid_t> ids_in(const std::string& folder) {
  std::vector<pid_t> ids;
  for_each_name(folder, [&](std::string_view name) {
    pid_t id = 0;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data(), end, id);
    if (parsed.ec == std::errc{} && parsed.ptr == end) ids.push_back(id);
  });
  return ids;
}

}  // namespace prof::base
