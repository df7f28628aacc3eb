#include "collector/sampler/tracepoints/tracepoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "common/base/unique_fd.hpp"

namespace prof::sampler {

using base::fail;

namespace {

constexpr std::size_t kLongest = 16 * 1024;  // the maximum length: a format has about 1 KiB

// Parses the number at the start of a text.
template <class Number>
bool parse(std::string_view text, Number& number) {
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
}

// Reads a small file. If that fails, errno says why.
bool read_text(const std::string& path, std::string& text) {
  const base::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return false;
  text.resize(kLongest);
  std::size_t length = 0;
  ssize_t bytes;
  while (length < text.size() &&
         (bytes = read(fd.get(), text.data() + length, text.size() - length)) > 0)
    length += static_cast<std::size_t>(bytes);
  text.resize(length);
  return length > 0;
}

bool is_tracefs(const std::string& root) {
  struct statfs info {};
  return statfs(root.c_str(), &info) == 0 && info.f_type == TRACEFS_MAGIC;
}

std::string unreadable(const std::string& path) {
  return fmt::format(
      "only root may read the kernel's list of tracepoints ({}: Permission denied); run prof "
      "as root, or give it CAP_PERFMON and CAP_DAC_READ_SEARCH (setcap "
      "cap_perfmon,cap_dac_read_search+ep prof)",
      path);
}

}  // namespace

std::vector<std::string> tracefs_roots() {
  return {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
}

base::Result<Tracepoint> find_tracepoint(const std::string& name,
                                         const std::vector<std::string>& roots) {
  bool mounted = false;
  std::string denied;
  for (const std::string& root : roots) {
    mounted |= is_tracefs(root);
    const std::string path = fmt::format("{}/events/{}", root, name);
    Tracepoint found;
    std::string id;
    errno = 0;
    if (read_text(path + "/id", id) && read_text(path + "/format", found.format)) {
      if (parse(id, found.id)) return found;
      return fail(path + "/id is not a number");
    }
    if (denied.empty() && (errno == EACCES || errno == EPERM)) denied = path;
  }
  if (!denied.empty()) return fail(unreadable(denied));
  if (mounted) return fail("the kernel has no tracepoint " + name);
  return fail(
      "tracefs is not mounted; have root mount it (mount -t tracefs tracefs /sys/kernel/tracing), "
      "or let the container see the host's");
}

base::Result<std::vector<std::string>> matching_tracepoints(const std::string& name,
                                                            const std::vector<std::string>& roots) {
  const std::string subsystem = name.substr(0, name.find('/'));
  if (name != subsystem + "/*") return std::vector<std::string>{name};
  std::vector<std::string> names;
  for (const std::string& root : roots) {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("{}/events/{}", root, subsystem), error))
      if (std::filesystem::exists(entry.path() / "id", error))
        names.push_back(subsystem + "/" + entry.path().filename().string());
    if (!names.empty()) break;  // other folders show the same tracepoints
  }
  std::ranges::sort(names);
  if (!names.empty()) return names;
  const auto missing = find_tracepoint(subsystem, roots);  // says why there are none
  return fail(missing ? "the subsystem is a tracepoint" : missing.error().message);
}

// Parses lines such as "  field:long id;  offset:8;       size:8; signed:1;".
base::Result<std::uint32_t> Tracepoint::offset_of(const std::string& field) const {
  constexpr std::string_view kOffset = "offset:";
  const std::string_view text = format;
  const std::size_t name = text.find(" " + field + ";");
  const std::size_t offset = name == std::string_view::npos ? name : text.find(kOffset, name);
  std::uint32_t place = 0;
  if (offset == std::string_view::npos || !parse(text.substr(offset + kOffset.size()), place))
    return fail("the kernel does not describe the field " + field + " of a tracepoint");
  return place;
}

}  // namespace prof::sampler
