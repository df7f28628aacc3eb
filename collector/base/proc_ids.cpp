#include "collector/base/proc_ids.hpp"

#include <charconv>
#include <filesystem>

namespace prof::base {

namespace fs = std::filesystem;

std::vector<pid_t> ids_in(const std::string& folder) {
  std::vector<pid_t> ids;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; at != end && !error; at.increment(error)) {
    const std::string name = at->path().filename().string();
    pid_t id = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), id);
    if (parsed.ec == std::errc{} && *parsed.ptr == '\0') ids.push_back(id);
  }
  return ids;
}

}  // namespace prof::base
