#include "collector/spool/flight/flight_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/base/folder.hpp"
#include "common/base/held/recorded_place.hpp"
#include "common/base/proc_file.hpp"

namespace prof::spool {

namespace fs = std::filesystem;
using base::fail;
using base::fail_errno;
using base::Status;

namespace {

constexpr char kMemory[] = "/dev/shm";
constexpr char kPrefix[] = "prof-flight-";
constexpr char kCarry[] = "carry";
// File with the place of the recording (recorded_place.hpp).
constexpr char kMarker[] = "recording";
constexpr char kHasPlace[] = "place\n";
constexpr char kSegment[] = "segment.";
constexpr std::uint64_t kUsualLimit = std::uint64_t{512} << 20;
constexpr std::uint64_t kMinLimit = std::uint64_t{4} << 20;

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
  if (limit <= room && limit >= kMinLimit) return limit;
  return fail(
      fmt::format("the flight recorder needs {} in {}, which has {} free. Give it less "
                  "(--flight-recorder=30s,{}M), or make room (docker run --shm-size)",
                  mebibytes(std::max(limit, kMinLimit)), base, mebibytes(room),
                  std::max<std::uint64_t>(room >> 21, 4)));
}

// Returns the number in a segment's name; 0: another name.
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

base::Result<std::vector<base::UniqueFd>> open_segments(const base::UniqueFd& retained,
                                                        const std::string& folder) {
  const auto known = Spool::open(retained.get(), folder);
  const std::uint64_t folded =
      known ? known->notes.first<FlightNote>().value_or(FlightNote{}).folded : 0;
  std::vector<std::uint64_t> numbers;
  base::for_each_name(folder, [&](std::string_view name) {
    if (const std::uint64_t number = segment_number(std::string(name)); number > folded)
      numbers.push_back(number);
  });
  std::ranges::sort(numbers);
  std::vector<base::UniqueFd> segments;
  for (const std::uint64_t number : numbers) {
    auto segment = open_file(folder + "/" + kSegment + std::to_string(number));
    if (!segment) return tl::make_unexpected(segment.error());
    segments.push_back(std::move(*segment));
  }
  return segments;
}

// True if the file still has this name.
bool is_same_file(const base::UniqueFd& file, const std::string& path) {
  struct stat here {};
  struct stat there {};
  return fstat(file.get(), &here) == 0 && lstat(path.c_str(), &there) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

// True if the recording may still exist. Without a description of its place, nothing was recorded
// yet.
bool is_needed(const std::string& folder) {
  std::ifstream in(folder + "/" + kMarker, std::ios::binary);
  const std::string place(std::istreambuf_iterator<char>(in), {});
  return place.starts_with(kHasPlace) && !base::is_gone(place.substr(sizeof kHasPlace - 1));
}

}  // namespace

base::Result<FlightFolder> FlightFolder::create(const std::string& marker, std::uint64_t bytes) {
  const std::string beside = fs::absolute(marker).parent_path().string();
  const std::string base = is_memory_there() ? kMemory : beside;
  const auto limit = limit_in(base, bytes);
  if (!limit) return tl::make_unexpected(limit.error());
  auto folder =
      base::PrivateFolder::create(fmt::format("{}/{}{}-{}-", base, kPrefix, geteuid(), getpid()));
  if (!folder) return tl::make_unexpected(folder.error());
  const std::string place = folder->path() + "/" + kMarker;
  std::ofstream out(place, std::ios::binary);
  out << kHasPlace << base::describe_place(marker) << std::flush;
  // chmod is needed because a umask can remove even the owner's rights.
  if (!out || chmod(place.c_str(), 0600) != 0) return fail_errno("cannot write " + place, errno);
  return FlightFolder(std::move(*folder), *limit);
}

std::string FlightFolder::name_of(std::uint64_t number) const {
  return path() + "/" + kSegment + std::to_string(number);
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

Status FlightFolder::drop_oldest(RetainedState& retained) {
  const std::string path = name_of(segments_.front().number);
  {
    const auto segment = Spool::open(path);
    if (!segment) return tl::make_unexpected(segment.error());
    retained.fold(*segment);
  }
  segments_.pop_front();
  if (retained.is_large()) {
    std::vector<Spool> kept;
    for (const Segment& each : segments_)
      if (auto segment = Spool::open(name_of(each.number))) kept.push_back(std::move(*segment));
    retained.shrink(
        [&](const RetainedState::Visit& visit) {
          for (const Spool& each : kept)
            for (const Piece& piece : each.pieces) visit(piece.bytes);
        },
        [](pid_t pid, std::uint32_t tid) {
          const std::string stat = base::proc_path(pid, static_cast<pid_t>(tid), "stat");
          return access(stat.c_str(), F_OK) == 0;
        });
  }
  if (Status written = write_carry(retained); !written) return written;
  unlink(path.c_str());
  return {};
}

// After a kill of prof, either the old file or the new one exists. The new one says which segments
// it contains.
Status FlightFolder::write_carry(const RetainedState& retained) {
  const std::string fresh = path() + "/" + kCarry + ".new";
  unlink(fresh.c_str());
  {
    auto writer = SpoolWriter::create(fresh);
    if (!writer) return tl::make_unexpected(writer.error());
    writer->collect();
    Status written = writer->note(FlightNote{.folded = next_ - 1 - segments_.size()});
    if (written) written = retained.write(*writer);
    if (written) written = writer->flush();
    if (!written) return written;
    carry_bytes_ = writer->bytes();
  }
  if (rename(fresh.c_str(), (path() + "/" + kCarry).c_str()) != 0)
    return fail_errno("cannot write " + path(), errno);
  return {};
}

base::Result<FlightFiles> FlightFolder::open_files() const {
  FlightFiles files;
  auto retained = open_file(path() + "/" + kCarry);
  if (!retained) return tl::make_unexpected(retained.error());
  files.retained = std::move(*retained);
  for (const Segment& each : segments_) {
    auto segment = open_file(name_of(each.number));
    if (!segment) return tl::make_unexpected(segment.error());
    files.segments.push_back(std::move(*segment));
  }
  return files;
}

base::Result<FlightFiles> FlightFolder::open_of_others(const std::string& path) {
  constexpr int kTries = 50;
  for (int i = 0;; ++i) {
    auto retained = open_file(path + "/" + kCarry);
    if (!retained) return tl::make_unexpected(retained.error());
    auto segments = open_segments(*retained, path);
    // The prof of the folder may meanwhile have written the next carry and removed a segment.
    const bool is_newest = is_same_file(*retained, path + "/" + kCarry);
    if (segments && is_newest) return FlightFiles{std::move(*retained), std::move(*segments)};
    if (!segments && (is_newest || i == kTries)) return tl::make_unexpected(segments.error());
    if (i == kTries) return fail(path + " changes too fast to be read");
  }
}

// Removes only files that a flight recorder makes, because the path may come from a file of another
// user.
void FlightFolder::remove(const std::string& path) {
  if (!fs::path(path).filename().string().starts_with(kPrefix)) return;
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid()) return;
  base::remove_folder(path);
}

void FlightFolder::remove_stale() {
  const std::string prefix = fmt::format("{}{}-", kPrefix, geteuid());
  base::for_each_name(kMemory, [&](std::string_view name) {
    if (!name.starts_with(prefix)) return;
    const std::string path = fmt::format("{}/{}", kMemory, name);
    base::remove_left_folder(path, [&path] { return is_needed(path); });
  });
}

}  // namespace prof::spool
