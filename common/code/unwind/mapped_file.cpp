#include "common/code/unwind/mapped_file.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"

namespace prof::unwind {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

bool look_at(const std::string& path, const MapEvent& mapping, struct stat& info) {
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         (mapping.inode == 0 || info.st_ino == mapping.inode);
}

// Devices are not compared, because btrfs and overlayfs give stat and mmap different numbers.
bool are_same(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_size == b.st_size &&
         symbols::FileVersion::of(a) == symbols::FileVersion::of(b);
}

// Reading the link needs a capability. Without it, the program's own file and open memfds are
// found.
std::string link_of_mapping(pid_t pid, const MapEvent& mapping) {
  char range[2 * 16 + 2];
  std::snprintf(range, sizeof range, "%" PRIx64 "-%" PRIx64, mapping.start,
                mapping.start + mapping.length);
  return base::proc_path(pid, "map_files/") + range;
}

std::string open_memfd(pid_t pid, const std::string& path) {
  for (const pid_t fd : base::ids_in(base::proc_path(pid, "fd"))) {
    const std::string link = base::proc_path(pid, "fd/" + std::to_string(fd));
    if (base::read_link(link).starts_with(path)) return link;
  }
  return {};
}

}  // namespace

std::string path_of_file(const MapEvent& mapping, const std::string& root) {
  struct stat info {};
  if (!mapping.path.ends_with(kDeleted) ||
      (mapping.inode != 0 && look_at(root + mapping.path, mapping, info)))
    return mapping.path;
  return mapping.path.substr(0, mapping.path.size() - kDeleted.size());
}

MappedFile find_mapped_file(pid_t pid, const MapEvent& mapping, const std::string& path,
                            const std::string& root) {
  const std::string link = link_of_mapping(pid, mapping);
  struct stat at_path {};
  struct stat mapped {};
  const bool is_mapped = pid != 0 && look_at(link, mapping, mapped);
  if (look_at(root + path, mapping, at_path) && (!is_mapped || are_same(at_path, mapped)))
    return {root + path, true, symbols::FileVersion::of(at_path)};
  if (is_mapped) return {link, false, symbols::FileVersion::of(mapped)};
  if (pid == 0 || mapping.inode == 0) return {};
  std::vector<std::string> places = {base::proc_path(pid, "exe"),
                                     base::proc_path(pid, "root") + path};
  if (path.starts_with("/memfd:")) places.push_back(open_memfd(pid, path));
  for (const std::string& place : places)
    if (look_at(place, mapping, mapped)) return {place, false, symbols::FileVersion::of(mapped)};
  return {};
}

bool is_elf_in_memory(pid_t pid, const MapEvent& mapping) {
  char magic[SELFMAG];
  iovec local{magic, sizeof magic};
  iovec remote{reinterpret_cast<void*>(mapping.start - mapping.offset), sizeof magic};
  return pid != 0 && process_vm_readv(pid, &local, 1, &remote, 1, 0) == SELFMAG &&
         std::memcmp(magic, ELFMAG, SELFMAG) == 0;
}

}  // namespace prof::unwind
