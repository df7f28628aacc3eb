#include "collector/spool/flight/flight_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "collector/base/folder.hpp"

namespace prof::spool {

namespace fs = std::filesystem;
using base::fail;
using base::fail_errno;
using base::Status;

namespace {

constexpr char kMemory[] = "/dev/shm";
constexpr char kPrefix[] = "prof-flight-";
constexpr char kCarry[] = "carry";
constexpr char kMarker[] = "recording";  // a link to it
constexpr char kSegment[] = "segment.";
constexpr std::uint64_t kUsualLimit = std::uint64_t{512} << 20;
constexpr std::uint64_t kLeastLimit = std::uint64_t{4} << 20;

std::uint64_t free_bytes(const std::string& folder) {
  struct statvfs info {};
  return statvfs(folder.c_str(), &info) == 0 ? std::uint64_t{info.f_bavail} * info.f_frsize : 0;
}

std::string mebibytes(std::uint64_t bytes) { return fmt::format("{} MB", bytes >> 20); }

bool is_memory_there() {
  struct stat info {};
  return stat(kMemory, &info) == 0 && S_ISDIR(info.st_mode) && access(kMemory, W_OK | X_OK) == 0;
}

base::Result<std::uint64_t> limit_in(const std::string& base, std::uint64_t wanted) {
  const std::uint64_t room = free_bytes(base);
  const std::uint64_t limit = wanted != 0 ? wanted : std::min(kUsualLimit, room / 2);
  if (limit <= room && limit >= kLeastLimit) return limit;
  return fail(
      fmt::format("the flight recorder needs {} in {}, which has {} free. Give it less "
                  "(--flight-recorder=30s,{}M), or make room (docker run --shm-size)",
                  mebibytes(std::max(limit, kLeastLimit)), base, mebibytes(room),
                  std::max<std::uint64_t>(room >> 21, 4)));
}

// 0: another name.
std::uint64_t segment_number(const std::string& name) {
  std::uint64_t number = 0;
  if (!name.starts_with(kSegment)) return 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + sizeof kSegment - 1, end, number);
  return parsed.ec == std::errc{} && parsed.ptr == end ? number : 0;
}

base::Result<base::UniqueFd> open_file(const std::string& path) {
  base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return fail_errno("cannot open " + path, errno);
  return file;
}

}  // namespace

base::Result<FlightFolder> FlightFolder::create(const std::string& marker, std::uint64_t bytes) {
  const std::string beside = fs::absolute(marker).parent_path().string();
  const std::string base = is_memory_there() ? kMemory : beside;
  const auto limit = limit_in(base, bytes);
  if (!limit) return tl::make_unexpected(limit.error());
  std::string path = fmt::format("{}/{}{}-{}-XXXXXX", base, kPrefix, geteuid(), getpid());
  // chmod, because a umask can remove even the owner's rights.
  if (mkdtemp(path.data()) == nullptr || chmod(path.c_str(), 0700) != 0)
    return fail_errno("cannot create a folder in " + base, errno);
  base::UniqueFd lock(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  FlightFolder folder(path, std::move(lock), *limit);
  if (!folder.lock_ || flock(folder.lock_.get(), LOCK_EX | LOCK_NB) != 0 ||
      symlink(fs::absolute(marker).c_str(), (path + "/" + kMarker).c_str()) != 0)
    return fail_errno("cannot write to " + path, errno);
  return folder;
}

FlightFolder::FlightFolder(FlightFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")),
      lock_(std::move(other.lock_)),
      limit_(other.limit_),
      segments_(std::move(other.segments_)),
      next_(other.next_),
      carry_bytes_(other.carry_bytes_) {}

FlightFolder::~FlightFolder() {
  if (!path_.empty()) remove(path_);
}

std::string FlightFolder::name_of(std::uint64_t number) const {
  return path_ + "/" + kSegment + std::to_string(number);
}

base::Result<SpoolWriter> FlightFolder::add_segment(std::uint64_t begin) {
  auto writer = SpoolWriter::create(name_of(next_));
  if (writer) segments_.push_back({next_++, begin, writer->bytes()});
  return writer;
}

std::optional<std::uint64_t> FlightFolder::second_begin() const {
  if (segments_.size() < 2) return {};
  return segments_[1].begin;
}

std::uint64_t FlightFolder::bytes() const {
  std::uint64_t sum = carry_bytes_;
  for (const Segment& each : segments_) sum += each.bytes;
  return sum;
}

Status FlightFolder::drop_oldest(Carry& carry) {
  const std::string path = name_of(segments_.front().number);
  {
    const auto segment = Spool::open(path);
    if (!segment) return tl::make_unexpected(segment.error());
    carry.fold(*segment);
  }
  segments_.pop_front();
  if (carry.is_large()) {
    std::vector<Spool> kept;
    for (const Segment& each : segments_)
      if (auto segment = Spool::open(name_of(each.number))) kept.push_back(std::move(*segment));
    carry.shrink(
        [&](const Carry::Visit& visit) {
          for (const Spool& each : kept)
            for (const Piece& piece : each.pieces) visit(piece.bytes);
        },
        [](pid_t pid, std::uint32_t tid) {
          return access(fmt::format("/proc/{}/task/{}", pid, tid).c_str(), F_OK) == 0;
        });
  }
  if (Status written = write_carry(carry); !written) return written;
  unlink(path.c_str());
  return {};
}

// A killed prof leaves the old file or the new one. The new one says which segments it contains.
Status FlightFolder::write_carry(const Carry& carry) {
  const std::string fresh = path_ + "/" + kCarry + ".new";
  unlink(fresh.c_str());
  {
    auto writer = SpoolWriter::create(fresh);
    if (!writer) return tl::make_unexpected(writer.error());
    writer->collect();
    Status written = writer->note(FlightNote{.folded = next_ - 1 - segments_.size()});
    if (written) written = carry.write(*writer);
    if (written) written = writer->flush();
    if (!written) return written;
    carry_bytes_ = writer->bytes();
  }
  if (rename(fresh.c_str(), (path_ + "/" + kCarry).c_str()) != 0)
    return fail_errno("cannot write " + path_, errno);
  return {};
}

base::Result<FlightFiles> FlightFolder::open_files() const {
  FlightFiles files;
  auto carry = open_file(path_ + "/" + kCarry);
  if (!carry) return tl::make_unexpected(carry.error());
  files.carry = std::move(*carry);
  for (const Segment& each : segments_) {
    auto segment = open_file(name_of(each.number));
    if (!segment) return tl::make_unexpected(segment.error());
    files.segments.push_back(std::move(*segment));
  }
  return files;
}

base::Result<FlightFiles> FlightFolder::open_left_over(const std::string& path) {
  auto carry = open_file(path + "/" + kCarry);
  if (!carry) return tl::make_unexpected(carry.error());
  const auto known = Spool::open(carry->get(), path);
  const std::uint64_t folded =
      known ? known->notes.first<FlightNote>().value_or(FlightNote{}).folded : 0;
  FlightFiles files;
  files.carry = std::move(*carry);
  std::vector<std::uint64_t> numbers;
  base::for_each_name(path, [&](std::string_view name) {
    if (const std::uint64_t number = segment_number(std::string(name)); number > folded)
      numbers.push_back(number);
  });
  std::ranges::sort(numbers);
  for (const std::uint64_t number : numbers) {
    auto segment = open_file(path + "/" + kSegment + std::to_string(number));
    if (!segment) return tl::make_unexpected(segment.error());
    files.segments.push_back(std::move(*segment));
  }
  return files;
}

// Only what a flight recorder makes: the path may come from a file that somebody else wrote.
void FlightFolder::remove(const std::string& path) {
  if (!fs::path(path).filename().string().starts_with(kPrefix)) return;
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid()) return;
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

void FlightFolder::remove_stale() {
  const std::string prefix = fmt::format("{}{}-", kPrefix, geteuid());
  base::for_each_name(kMemory, [&](std::string_view name) {
    if (!name.starts_with(prefix)) return;
    const std::string path = fmt::format("{}/{}", kMemory, name);
    const base::UniqueFd folder(
        open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!folder || flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return;
    std::error_code broken;
    const fs::path marker = fs::read_symlink(fs::path(path) / kMarker, broken);
    if (!broken && !fs::exists(marker, broken) && !broken) remove(path);
  });
}

}  // namespace prof::spool
