#include "collector/spool/left_over.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>

#include "collector/spool/spool.hpp"
#include "collector/spool/spool_path.hpp"
#include "common/base/held/held_file.hpp"
#include "common/base/mapped_file.hpp"
#include "common/base/text/shell_word.hpp"

namespace prof::spool {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLarge = 64 << 20;

// Returns the path as an argument. A name that starts with a dash would be an option.
std::string argument(const std::string& path) {
  return base::shell_word(path.starts_with('-') ? "./" + path : path);
}

bool is_free(const fs::path& output) {
  std::error_code error;
  fs::path first = output;
  first.replace_extension(".1" + output.extension().string());
  return !fs::exists(output, error) && !fs::exists(first, error);
}

// Returns the first free name of report.recovered.db, report.recovered2.db, … for report.db.
std::string free_name(const fs::path& output) {
  const std::string begin = (output.parent_path() / output.stem()).string() + ".recovered";
  for (int number = 1;; ++number) {
    const std::string count = number == 1 ? "" : std::to_string(number);
    std::string name = begin + count + output.extension().string();
    if (is_free(name)) return name;
  }
}

// Escapes %, because -o uses it for placeholders.
std::string without_placeholders(std::string name) {
  for (std::size_t at = name.find('%'); at != std::string::npos; at = name.find('%', at + 2))
    name.insert(at, 1, '%');
  return name;
}

}  // namespace

std::optional<LeftOver> find_left_over(const std::string& path) {
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  base::UniqueFd file(open(path.c_str(), O_RDWR | kFlags));  // NFS needs O_RDWR for exclusive locks
  if (!file) file.reset(open(path.c_str(), O_RDONLY | kFlags));
  struct stat info {};
  if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid())
    return {};
  // Other programs use such names, too, so the file is only read until it is known to be a
  // recording.
  std::byte begin[sizeof kSpoolMagic];
  if (pread(file.get(), begin, sizeof begin, 0) != sizeof begin || !Spool::is_recording(begin))
    return {};
  // The prof that writes the file has an exclusive lock from the moment when the file gets its
  // name. prof may have removed the file before it unlocked it.
  if (flock(file.get(), LOCK_SH | LOCK_NB) != 0 || base::is_locked_otherwise(file.get()) ||
      fstat(file.get(), &info) != 0 || info.st_nlink == 0)
    return {};
  const auto bytes = base::MappedFile::map(file.get(), path);
  if (!bytes) return {};
  return LeftOver{std::move(file), Spool::has_content(bytes->bytes()), bytes->size() > kLarge};
}

void remove_left_over(const LeftOver& left, const std::string& path) {
  struct stat here {};
  struct stat there {};
  const bool is_same = fstat(left.file.get(), &here) == 0 && stat(path.c_str(), &there) == 0 &&
                       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
  if (is_same && flock(left.file.get(), LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
}

bool has_free_name(const std::string& path) {
  const auto report = report_path(path);
  return report && is_free(*report);
}

std::string recovery_command(const std::string& path, bool is_usable) {
  std::string command = "prof recover " + argument(path);
  if (is_usable || has_free_name(path)) return command;
  const std::string report = report_path(path).value_or("report.db");
  return command + " -o " + argument(without_placeholders(free_name(report)));
}

}  // namespace prof::spool
