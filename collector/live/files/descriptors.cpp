#include "collector/live/files/descriptors.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
#include <string_view>

#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/text/printable.hpp"

namespace prof::live {

namespace {

constexpr std::size_t kMaxDescriptors = 4096;
constexpr std::size_t kMaxWatched = 16;
constexpr std::size_t kLargestTable = std::size_t{8} << 20;  // maximum size of a table of sockets

// Returns the number in "pipe:[123]", or 0 for another kind of link.
std::uint64_t inode_in(std::string_view link, std::string_view kind) {
  if (!link.starts_with(kind) || link.substr(kind.size(), 2) != ":[") return 0;
  return base::number_in(link.substr(kind.size() + 2));
}

// Converts "0100007F:1F90", or 32 digits for IPv6: words in the machine's byte order.
std::string address_of(std::string_view text) {
  constexpr std::size_t kWord = 8;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::string(text);
  const auto port = base::number_in(text.substr(colon + 1), 16);
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < words.size() && i * kWord < colon; ++i)
    words[i] = static_cast<std::uint32_t>(base::number_in(text.substr(i * kWord, kWord), 16));
  const bool is_6 = colon > kWord;
  char name[INET6_ADDRSTRLEN] = "?";
  inet_ntop(is_6 ? AF_INET6 : AF_INET, words.data(), name, sizeof name);
  return is_6 ? fmt::format("[{}]:{}", name, port) : fmt::format("{}:{}", name, port);
}

// Lines of /proc/PID/net/tcp are "0: LOCAL REMOTE STATE … … … UID … INODE".
void read_internet_sockets(const std::string& path, const char* kind,
                           std::map<std::uint64_t, std::string>& names) {
  std::istringstream lines(base::read_proc_file(path, kLargestTable));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string number, local, remote, state, skipped;
    std::uint64_t inode = 0;
    words >> number >> local >> remote >> state;
    for (int i = 0; i < 5; ++i) words >> skipped;
    if (!(words >> inode)) continue;
    const bool listens = state == "0A";
    names[inode] = fmt::format("{} {}{}", kind, address_of(local),
                               listens ? " (listening)" : " to " + address_of(remote));
  }
}

}  // namespace

void Descriptors::read_sockets(pid_t pid, std::map<std::uint64_t, std::string>& names) const {
  read_internet_sockets(base::proc_path(pid, "net/tcp"), "TCP", names);
  read_internet_sockets(base::proc_path(pid, "net/tcp6"), "TCP", names);
  read_internet_sockets(base::proc_path(pid, "net/udp"), "UDP", names);
  read_internet_sockets(base::proc_path(pid, "net/udp6"), "UDP", names);
  // Lines are "NUM REFCOUNT PROTOCOL FLAGS TYPE STATE INODE PATH".
  std::istringstream lines(base::read_proc_file(base::proc_path(pid, "net/unix"), kLargestTable));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string skipped, path;
    std::uint64_t inode = 0;
    for (int i = 0; i < 6; ++i) words >> skipped;
    if (!(words >> inode)) continue;
    words >> path;
    names[inode] = path.empty() ? "unix socket" : "unix socket " + base::printable(path);
  }
}

std::string Descriptors::socket_name(pid_t pid, std::uint64_t inode) {
  const auto [names, is_new] =
      sockets_.try_emplace(base::read_link(base::proc_path(pid, "ns/net")));
  if (is_new) read_sockets(pid, names->second);
  const auto found = names->second.find(inode);
  return found != names->second.end() ? found->second : fmt::format("socket {}", inode);
}

Descriptor Descriptors::find(pid_t pid, std::uint64_t number) {
  Descriptor descriptor;
  // Descriptors are ints. The upper half of the register does not count.
  const auto fd = static_cast<std::int32_t>(number);
  const pid_t living = base::living_thread(pid);
  const std::string link = base::read_link(base::proc_path(living, fmt::format("fd/{}", fd)));
  if (fd < 0 || link.empty()) return descriptor;
  descriptor.is_there = true;
  descriptor.pipe = inode_in(link, "pipe");
  if (descriptor.pipe != 0)
    descriptor.name = fmt::format("pipe {}", descriptor.pipe);
  else if (const std::uint64_t inode = inode_in(link, "socket"); inode != 0)
    descriptor.name = socket_name(living, inode);
  else if (link.starts_with("anon_inode:"))
    descriptor.name = base::printable(std::string_view(link).substr(std::strlen("anon_inode:")));
  else
    descriptor.name = base::printable(link);
  return descriptor;
}

const std::vector<Descriptors::End>& Descriptors::ends_of(pid_t pid) {
  const auto [ends, is_new] = ends_.try_emplace(pid);
  if (!is_new) return ends->second;
  const pid_t living = base::living_thread(pid);
  std::size_t count = 0;
  for (const int fd : base::ids_in(base::proc_path(living, "fd"))) {
    if (++count > kMaxDescriptors) break;
    const std::string path = base::proc_path(living, fmt::format("fd/{}", fd));
    const std::uint64_t pipe = inode_in(base::read_link(path), "pipe");
    struct stat link {};
    // The permissions of the link say how the descriptor was opened.
    if (pipe == 0 || lstat(path.c_str(), &link) != 0) continue;
    ends->second.push_back({pipe, (link.st_mode & S_IRUSR) != 0, (link.st_mode & S_IWUSR) != 0});
  }
  return ends->second;
}

std::vector<pid_t> Descriptors::other_ends(std::uint64_t pipe, bool reads, pid_t but,
                                           const std::vector<pid_t>& processes) {
  std::vector<pid_t> found;
  for (const pid_t pid : processes) {
    if (pid == but) continue;
    if (std::ranges::any_of(ends_of(pid), [&](const End& each) {
          return each.pipe == pipe && (reads ? each.writes : each.reads);
        }))
      found.push_back(pid);
  }
  return found;
}

std::size_t Descriptors::sharers(std::uint64_t pipe, bool reads,
                                 const std::vector<pid_t>& processes) {
  return static_cast<std::size_t>(std::ranges::count_if(processes, [&](pid_t pid) {
    return std::ranges::any_of(ends_of(pid), [&](const End& each) {
      return each.pipe == pipe && (reads ? each.reads : each.writes);
    });
  }));
}

std::vector<std::uint64_t> Descriptors::watched(pid_t pid, std::uint64_t epoll) const {
  const auto fd = static_cast<std::int32_t>(epoll);
  const pid_t living = base::living_thread(pid);
  std::istringstream lines(
      base::read_proc_file(base::proc_path(living, fmt::format("fdinfo/{}", fd))));
  std::vector<std::uint64_t> numbers;
  for (std::string line; numbers.size() < kMaxWatched && std::getline(lines, line);) {
    constexpr std::string_view kBegin = "tfd:";
    if (!line.starts_with(kBegin)) continue;
    const std::size_t digits = line.find_first_not_of(' ', kBegin.size());
    if (digits != std::string::npos)
      numbers.push_back(base::number_in(std::string_view(line).substr(digits)));
  }
  return numbers;
}

}  // namespace prof::live
