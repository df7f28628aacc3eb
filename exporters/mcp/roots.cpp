#include "exporters/mcp/roots.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

namespace prof::mcp {

namespace {

namespace fs = std::filesystem;

std::optional<std::string> real_path(const std::string& name) {
  const std::unique_ptr<char, decltype(&std::free)> path(realpath(name.c_str(), nullptr),
                                                         &std::free);
  return path ? std::optional<std::string>(path.get()) : std::nullopt;
}

bool is_ordinary(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool can_be_report(const fs::path& path) {
  return path.extension() == ".db" || path.extension() == ".sqlite";
}

}  // namespace

base::Result<Roots> Roots::open(const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (const std::string& each : names) {
    auto path = real_path(each);
    if (!path) return base::fail_errno(each, errno);
    paths.push_back(*std::move(path));
  }
  return Roots(std::move(paths));
}

bool Roots::contains(const std::string& real) const {
  return std::ranges::any_of(paths_, [&](const std::string& root) {
    return real == root || root == "/" || real.starts_with(root + '/');
  });
}

base::Result<std::string> Roots::file(const std::string& name) const {
  // All that is refused gets one answer, which does not say what exists outside
  // of the roots.
  const auto refused = base::fail("there is no such report in the folders that prof mcp may read");
  if (name.empty() || name.find('\0') != std::string::npos) return refused;
  const auto real =
      real_path(name.front() == '/' || paths_.empty() ? name : paths_.front() + '/' + name);
  if (!real || !contains(*real) || !is_ordinary(*real)) return refused;
  return *real;
}

std::vector<Roots::Report> Roots::reports(std::size_t most) const {
  constexpr std::size_t kMaxFiles = 20'000;  // that are looked at
  std::vector<Report> found;
  std::size_t files = 0;
  const auto add = [&](const std::string& path) {
    struct stat status {};
    if (can_be_report(path) && lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      found.push_back({path, static_cast<std::uintmax_t>(status.st_size)});
  };
  for (const std::string& root : paths_) {
    std::error_code error;
    add(root);
    auto entry = fs::recursive_directory_iterator(
        root, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator() && files < kMaxFiles;
         entry.increment(error), ++files)
      add(entry->path().string());
  }
  std::ranges::sort(found, {}, &Report::path);
  const auto same = std::ranges::unique(found, {}, &Report::path);
  found.erase(same.begin(), same.end());
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace prof::mcp
