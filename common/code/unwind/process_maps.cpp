#include "common/code/unwind/process_maps.hpp"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::unwind {
namespace {

// Removes a number and the character after it from the text.
std::optional<std::uint64_t> take_number(std::string_view& text, int base, char delimiter) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end == text.data() + text.size() || *end != delimiter) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return number;
}

// The kernel writes a newline of a path as \012.
std::string unescape(std::string_view path) {
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool is_newline = path.substr(i, 4) == "\\012";
    result += is_newline ? '\n' : path[i];
    if (is_newline) i += 3;
  }
  return result;
}

// Parses "7f00-7f10 r-xp 00001000 fe:01 1234   /usr/lib/libc.so.6".
std::optional<MapEvent> parse_line(std::string_view line) {
  const auto start = take_number(line, 16, '-');
  const auto end = start ? take_number(line, 16, ' ') : start;
  if (!end || *end <= *start || line.size() < 5) return {};
  MapEvent event;
  event.start = *start;
  event.length = *end - *start;
  event.executable = line[2] == 'x';
  line.remove_prefix(5);
  const auto offset = take_number(line, 16, ' ');
  const auto major = offset ? take_number(line, 16, ':') : offset;
  const auto minor = major ? take_number(line, 16, ' ') : major;
  if (!minor) return {};
  event.offset = *offset;
  event.device = makedev(*major, *minor);
  const std::size_t digits = std::min(line.find(' '), line.size());
  if (std::from_chars(line.data(), line.data() + digits, event.inode).ec != std::errc{}) return {};
  line.remove_prefix(digits);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  event.path = unescape(line);
  return event;
}

}  // namespace

std::vector<MapEvent> parse_process_maps(std::string_view text, std::uint64_t time) {
  std::vector<MapEvent> events;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    if (auto event = parse_line(text.substr(0, length))) {
      event->time = time;
      events.push_back(std::move(*event));
    }
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return events;
}

namespace {

base::Result<std::string> read_maps_file(const std::string& process) {
  const std::string path = "/proc/" + process + "/maps";
  const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return base::fail_errno(path, errno);
  std::string text;
  char piece[1 << 14];
  for (ssize_t count; (count = read(file.get(), piece, sizeof piece)) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return base::fail_errno(path, errno);
    text.append(piece, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

base::Result<std::string> read_process_maps_text(const std::string& process) {
  auto text = read_maps_file(process);
  if (text && !text->empty()) return text;
  const auto number = static_cast<pid_t>(base::number_in(process));
  const pid_t living = number != 0 ? base::living_thread(number) : 0;
  return living != 0 && living != number ? read_maps_file(std::to_string(living)) : text;
}

base::Result<std::vector<MapEvent>> read_process_maps(const std::string& process,
                                                      std::uint64_t time) {
  const auto text = read_process_maps_text(process);
  if (!text) return tl::make_unexpected(text.error());
  return parse_process_maps(*text, time);
}

}  // namespace prof::unwind
