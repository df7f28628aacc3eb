#include "collector/spool/spool.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "collector/spool/blocks.hpp"
#include "common/base/held/held_file.hpp"
#include "common/base/temporary_file.hpp"

namespace prof::spool {

using base::fail;
using base::fail_errno;
using base::Status;

namespace {

// Disk space for the last notes of a session with several hundred processes.
constexpr std::uint64_t kReserve = 64 << 10;
constexpr std::uint64_t kAllocationStep = 1 << 20;
constexpr std::uint64_t kFirstAllocation = 2 * kReserve;
constexpr std::uint64_t kMaxCollected = 64 << 10;

// True for readings at most 31 years after booting and before the year 2096. Differences and sums
// of such times cannot overflow.
bool is_possible(const ClockTriple& triple) {
  constexpr std::int64_t kYears31 = 1'000'000'000'000'000'000;
  return triple.monotonic >= 0 && triple.monotonic <= kYears31 && triple.realtime >= 0 &&
         triple.realtime <= 4 * kYears31;
}

// True if space is not scarce. A recording that is deleted within seconds needs no blocks on the
// disk, because the kernel has not written it by then. Allocating blocks and giving them back takes
// disk time, so they are not allocated if there is much space.
bool has_much_space(int file) {
  constexpr std::uint64_t kMuch = 64 << 20;
  struct statfs disk {};
  return fstatfs(file, &disk) == 0 &&
         disk.f_bavail * static_cast<std::uint64_t>(disk.f_bsize) >= kMuch;
}

}  // namespace

base::Result<SpoolWriter> SpoolWriter::create(const std::string& path) {
  const std::string temporary = base::temporary_name(path);
  unlink(temporary.c_str());
  base::UniqueFd fd = base::create_held_file(temporary);
  if (!fd) return fail_errno("cannot write " + path, errno);
  SpoolWriter writer(path, std::move(fd));
  rlimit limit{};
  writer.limit_ =
      getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : static_cast<std::uint64_t>(-1);
  writer.waits_ = has_much_space(writer.fd_.get());
  int error = writer.allocate(sizeof kSpoolMagic + kReserve);
  if (error == 0 && write(writer.fd_.get(), kSpoolMagic, sizeof kSpoolMagic) != sizeof kSpoolMagic)
    error = errno == 0 ? ENOSPC : errno;
  if (error == 0) error = base::rename_new(temporary, path);
  if (error != 0) {
    unlink(temporary.c_str());
    return fail_errno("cannot write " + path, error);
  }
  writer.bytes_ = sizeof kSpoolMagic;
  return writer;
}

SpoolWriter::~SpoolWriter() {
  if (!fd_) return;
  follow_truncation();
  // For a short recording, which is deleted soon, this is left out, because giving space back takes
  // disk time.
  if (allocated_ > bytes_ + kFirstAllocation)
    static_cast<void>(!ftruncate(fd_.get(), static_cast<off_t>(bytes_)));
}

bool SpoolWriter::is_deleted() const {
  struct stat info {};
  return fstat(fd_.get(), &info) == 0 && info.st_nlink == 0;
}

void SpoolWriter::follow_truncation() {
  struct stat info {};
  if (fstat(fd_.get(), &info) != 0 || static_cast<std::uint64_t>(info.st_size) >= bytes_) return;
  truncated_ = true;
  bytes_ = padded(static_cast<std::uint64_t>(info.st_size));
  if (bytes_ < sizeof kSpoolMagic) bytes_ = sizeof kSpoolMagic;
  static_cast<void>(!pwrite(fd_.get(), kSpoolMagic, sizeof kSpoolMagic, 0));
  cut();
}

// Truncates the file to `bytes_`.
void SpoolWriter::cut() {
  if (ftruncate(fd_.get(), static_cast<off_t>(bytes_)) == 0)
    lseek(fd_.get(), static_cast<off_t>(bytes_), SEEK_SET);
  allocated_ = bytes_;
}

base::UniqueFd SpoolWriter::duplicate() const {
  base::UniqueFd copy(fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  // A sandbox refused to open it.
  if (!copy) copy.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  return copy;
}

Status SpoolWriter::secure_space() {
  if (!waits_) return {};
  waits_ = false;
  if (const int error = allocate(bytes_ + kReserve)) return failed(error);
  return {};
}

// Allocates disk space, so that the file can grow to `end`. Returns an errno if that fails.
int SpoolWriter::allocate(std::uint64_t end) {
  if (end > limit_) return EFBIG;
  if (end <= allocated_ || !preallocates_) return 0;
  if (waits_ && end <= kFirstAllocation) return 0;
  waits_ = false;
  const std::uint64_t step = allocated_ == 0 ? kFirstAllocation : kAllocationStep;
  for (const std::uint64_t goal : {std::max(end, allocated_ + step), end}) {
    if (fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(allocated_),
                  static_cast<off_t>(goal - allocated_)) == 0) {
      allocated_ = goal;
      return 0;
    }
    if (errno != ENOSPC && errno != EDQUOT) {
      preallocates_ = false;
      return 0;
    }
  }
  return errno;
}

Status SpoolWriter::append(std::uint32_t kind, std::span<const std::byte> head,
                           std::span<const std::byte> body, std::uint64_t reserve) {
  static constexpr std::byte kPadding[8]{};
  const std::uint64_t payload = head.size() + body.size();
  const BlockHeader block{kBlockMagic, kind, payload};
  const std::uint64_t total = sizeof block + padded(payload);
  const std::span<const std::byte> padding(kPadding, padded(payload) - payload);
  const bool collects = collects_ && total <= kMaxCollected;
  if (collected_.size() + total > kMaxCollected || !collects)
    if (Status flushed = flush_collected(); !flushed) return flushed;
  if (!collects) follow_truncation();
  if (const int error = allocate(bytes_ + collected_.size() + total + reserve)) {
    Status flushed = flush_collected();  // the collected blocks already have disk space
    return flushed ? failed(error) : flushed;
  }
  if (collects) {
    for (const auto part : {bytes_of(block), head, body, padding})
      collected_.insert(collected_.end(), part.begin(), part.end());
    return {};
  }
  const auto vector = [](std::span<const std::byte> bytes) {
    return iovec{const_cast<std::byte*>(bytes.data()), bytes.size()};
  };
  const iovec parts[] = {vector(bytes_of(block)), vector(head), vector(body), vector(padding)};
  return write_blocks(parts, total);
}

// Writes blocks whose space is allocated.
Status SpoolWriter::write_blocks(std::span<const iovec> parts, std::uint64_t bytes) {
  const ssize_t written = writev(fd_.get(), parts.data(), static_cast<int>(parts.size()));
  if (written == static_cast<ssize_t>(bytes)) {
    bytes_ += bytes;
    return {};
  }
  const int error = written < 0 ? errno : ENOSPC;
  cut();  // removes the incomplete block, so that another one can follow
  return failed(error);
}

Status SpoolWriter::failed(int error) {
  full_ = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return fail_errno("cannot write " + path_, error);
}

Status SpoolWriter::flush_collected() {
  if (collected_.empty()) return {};
  follow_truncation();
  if (const int error = allocate(bytes_ + collected_.size())) return failed(error);
  const iovec part{collected_.data(), collected_.size()};
  if (Status written = write_blocks({&part, 1}, collected_.size()); !written) return written;
  collected_.clear();
  return {};
}

Status SpoolWriter::flush() {
  collects_ = false;
  return flush_collected();
}

void SpoolWriter::discard(const std::function<void(std::span<const std::byte>)>& visit) {
  const std::vector<std::byte> blocks = std::exchange(collected_, {});
  for (std::span<const std::byte> rest(blocks); !rest.empty();
       rest = rest.subspan(block_length(rest))) {
    const auto block = read_as<BlockHeader>(rest);
    if (block.kind == kRecords)
      visit(rest.subspan(sizeof block, block.bytes).subspan(sizeof(PieceHeader)));
  }
}

Status SpoolWriter::append_note(std::string_view json, std::uint64_t reserve) {
  return append(kNote, {}, {reinterpret_cast<const std::byte*>(json.data()), json.size()}, reserve);
}

Status SpoolWriter::clock(const ClockTriple& triple) {
  return append(kClock, bytes_of(triple), {}, 0);
}

Status SpoolWriter::records(const PieceHeader& piece, std::span<const std::byte> bytes) {
  return append(kRecords, bytes_of(piece), bytes, kReserve);
}

Status SpoolWriter::kernel_records(const KernelPieceHeader& piece,
                                   std::span<const std::byte> bytes) {
  return append(kKernelRecords, bytes_of(piece), bytes, kReserve);
}

Status SpoolWriter::stack_nodes(const StackPieceHeader& piece, std::span<const std::byte> bytes) {
  return append(kStackNodes, bytes_of(piece), bytes, kReserve);
}

Status SpoolWriter::metric_samples(const MetricPieceHeader& piece,
                                   std::span<const std::byte> bytes) {
  return append(kMetricSamples, bytes_of(piece), bytes, kReserve);
}

// Writes in parts, because one system call writes at most 2 GiB.
Status SpoolWriter::blocks(std::span<const std::byte> blocks) {
  constexpr std::size_t kPart = std::size_t{64} << 20;
  if (Status flushed = flush_collected(); !flushed) return flushed;
  while (!blocks.empty()) {
    std::size_t length = 0;
    for (auto rest = blocks; length < kPart && rest.size() >= sizeof(BlockHeader);
         rest = blocks.subspan(length))
      if (const std::uint64_t block = block_length(rest); block != 0)
        length += block;
      else
        break;
    if (length == 0) return {};
    if (const int error = allocate(bytes_ + length + kReserve)) return failed(error);
    const iovec part{const_cast<std::byte*>(blocks.data()), length};
    if (Status written = write_blocks({&part, 1}, length); !written) return written;
    blocks = blocks.subspan(length);
  }
  return {};
}

base::Result<Spool> Spool::open(const std::string& path) {
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail_errno("cannot open " + path, errno);
  return open(fd.get(), path);
}

base::Result<Spool> Spool::open(int fd, const std::string& path, Memory* memory) {
  auto file = base::MappedFile::map(fd, path);
  if (!file) return tl::make_unexpected(file.error());
  if (file->size() == 0) return fail(path + " is empty: nothing had been recorded");
  auto spool = parse(file->bytes(), memory);
  if (!spool) return fail(path + spool.error().message);
  spool->file_ = std::move(*file);
  return spool;
}

base::Result<Spool> Spool::parse(std::span<const std::byte> bytes, Memory* memory) {
  Spool spool(memory);
  const BlockWalk walk = walk_blocks(
      bytes, [&](const FoundBlock& block) { spool.take_block(block.kind, block.payload); });
  spool.ignored_bytes += walk.ignored_bytes;
  if (walk.blocks == 0 && !is_recording(bytes)) return fail(" is not a recording of prof");
  return spool;
}

bool Spool::is_recording(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof kSpoolMagic &&
         std::memcmp(bytes.data(), kSpoolMagic, sizeof kSpoolMagic) == 0;
}

bool Spool::has_content(std::span<const std::byte> bytes) {
  auto rest = bytes.subspan(sizeof kSpoolMagic);
  while (rest.size() >= sizeof(BlockHeader)) {
    const auto block = read_as<BlockHeader>(rest);
    const std::uint64_t length = block_length(rest);
    // A block in which the file ends was not written completely.
    if (length == 0) return block.magic != kBlockMagic || block.bytes < rest.size() - sizeof block;
    if (block.kind != kNote && block.kind != kClock) return true;
    const auto payload = rest.subspan(sizeof block, block.bytes);
    const std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
    // The events of a flight recorder are in another place.
    if (block.kind == kNote &&
        (is_note_of(EndNote::kType, text) || is_note_of(FlightNote::kType, text)))
      return true;
    rest = rest.subspan(length);
  }
  return false;
}

void Spool::take_block(std::uint32_t kind, std::span<const std::byte> payload) {
  if (kind == kNote) {
    notes.add_text({reinterpret_cast<const char*>(payload.data()), payload.size()});
  } else if (kind == kClock && payload.size() == sizeof(ClockTriple)) {
    const auto triple = read_as<ClockTriple>(payload);
    if (is_possible(triple))
      clocks.push_back(triple);
    else
      ignored_bytes += payload.size();
  } else if (kind == kRecords && payload.size() >= sizeof(PieceHeader)) {
    pieces.push_back({read_as<PieceHeader>(payload), payload.subspan(sizeof(PieceHeader))});
    record_bytes += payload.size() - sizeof(PieceHeader);
  } else if (kind == kKernelRecords && payload.size() >= sizeof(KernelPieceHeader)) {
    kernel_pieces.push_back(
        {read_as<KernelPieceHeader>(payload), payload.subspan(sizeof(KernelPieceHeader))});
  } else if (kind == kStackNodes && payload.size() >= sizeof(StackPieceHeader)) {
    const auto piece = read_as<StackPieceHeader>(payload);
    // The numbers of nodes grow, unless the file is damaged.
    if (stack_pieces.empty() || piece.first > stack_pieces.back().header.first)
      stack_pieces.push_back({piece, payload.subspan(sizeof piece)});
    else
      ignored_bytes += payload.size();
  } else if (kind == kMetricSamples && payload.size() >= sizeof(MetricPieceHeader)) {
    metric_pieces.push_back(
        {read_as<MetricPieceHeader>(payload), payload.subspan(sizeof(MetricPieceHeader))});
  } else {
    ignored_bytes += payload.size();
  }
}

}  // namespace prof::spool
