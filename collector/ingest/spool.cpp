#include "collector/ingest/spool.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace prof::ingest {

using base::fail;
using base::fail_errno;
using base::Status;

namespace {

constexpr std::uint32_t kBlockMagic = 0x6b636c62;  // "blck"
enum BlockKind : std::uint32_t { kNote = 1, kClock = 2, kRecords = 3, kKernelRecords = 4 };

struct BlockHeader {
  std::uint32_t magic;
  std::uint32_t kind;
  std::uint64_t bytes;  // of the payload, padding to 8 excluded
};
static_assert(sizeof(BlockHeader) == 16 && sizeof(PieceHeader) == 24 && sizeof(ClockTriple) == 24);

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) & ~std::uint64_t{7}; }

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return {reinterpret_cast<const std::byte*>(&value), sizeof value};
}

template <class T>
T read_as(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

base::Result<SpoolWriter> SpoolWriter::create(const std::string& path) {
  base::UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd) return fail_errno("cannot write " + path, errno);
  SpoolWriter writer(path, std::move(fd));
  if (write(writer.fd_.get(), kSpoolMagic, sizeof kSpoolMagic) != sizeof kSpoolMagic)
    return fail_errno("cannot write " + path, errno == 0 ? ENOSPC : errno);
  writer.bytes_ = sizeof kSpoolMagic;
  return writer;
}

Status SpoolWriter::append(std::uint32_t kind, std::span<const std::byte> head,
                           std::span<const std::byte> body) {
  static constexpr std::byte kPadding[8]{};
  const std::uint64_t payload = head.size() + body.size();
  const BlockHeader block{kBlockMagic, kind, payload};
  const std::uint64_t padding = padded(payload) - payload;
  const auto part = [](std::span<const std::byte> bytes) {
    return iovec{const_cast<std::byte*>(bytes.data()), bytes.size()};
  };
  const iovec parts[] = {part(bytes_of(block)), part(head), part(body), part({kPadding, padding})};
  const std::uint64_t total = sizeof block + padded(payload);
  const ssize_t written = writev(fd_.get(), parts, 4);
  if (written == static_cast<ssize_t>(total)) {
    bytes_ += total;
    return {};
  }
  const int error = written < 0 ? errno : ENOSPC;
  // Cut off the torn block, so that a later one can follow.
  if (ftruncate(fd_.get(), static_cast<off_t>(bytes_)) == 0)
    lseek(fd_.get(), static_cast<off_t>(bytes_), SEEK_SET);
  return fail_errno("cannot write " + path_, error);
}

Status SpoolWriter::note(const nlohmann::json& note) {
  const std::string text = note.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return append(kNote, {}, {reinterpret_cast<const std::byte*>(text.data()), text.size()});
}

Status SpoolWriter::clock(const ClockTriple& triple) {
  return append(kClock, bytes_of(triple), {});
}

Status SpoolWriter::records(const PieceHeader& piece, std::span<const std::byte> bytes) {
  return append(kRecords, bytes_of(piece), bytes);
}

Status SpoolWriter::kernel_records(std::uint32_t cpu, std::span<const std::byte> bytes) {
  return append(kKernelRecords, bytes_of(KernelPieceHeader{cpu, 0}), bytes);
}

base::Result<Spool> Spool::open(const std::string& path) {
  auto file = base::MappedFile::open(path);
  if (!file) return tl::make_unexpected(file.error());
  auto spool = parse(file->bytes());
  if (!spool) return fail(path + spool.error().message);
  spool->file_ = std::move(*file);
  return spool;
}

base::Result<Spool> Spool::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof kSpoolMagic ||
      std::memcmp(bytes.data(), kSpoolMagic, sizeof kSpoolMagic) != 0)
    return fail(" is not a recording of prof");
  Spool spool;
  auto rest = bytes.subspan(sizeof kSpoolMagic);
  while (rest.size() >= sizeof(BlockHeader)) {
    const auto block = read_as<BlockHeader>(rest);
    if (block.magic != kBlockMagic || block.bytes > rest.size() - sizeof block ||
        padded(block.bytes) > rest.size() - sizeof block)
      break;
    const auto payload = rest.subspan(sizeof block, block.bytes);
    if (block.kind == kNote) {
      auto note =
          nlohmann::json::parse(reinterpret_cast<const char*>(payload.data()),
                                reinterpret_cast<const char*>(payload.data()) + payload.size(),
                                nullptr, /*allow_exceptions=*/false);
      if (note.is_object()) spool.notes.push_back(std::move(note));
    } else if (block.kind == kClock && payload.size() == sizeof(ClockTriple)) {
      spool.clocks.push_back(read_as<ClockTriple>(payload));
    } else if (block.kind == kRecords && payload.size() >= sizeof(PieceHeader)) {
      spool.pieces.push_back({read_as<PieceHeader>(payload), payload.subspan(sizeof(PieceHeader))});
      spool.record_bytes += payload.size() - sizeof(PieceHeader);
    } else if (block.kind == kKernelRecords && payload.size() >= sizeof(KernelPieceHeader)) {
      spool.kernel_pieces.push_back(
          {read_as<KernelPieceHeader>(payload), payload.subspan(sizeof(KernelPieceHeader))});
    }
    rest = rest.subspan(sizeof block + padded(block.bytes));
  }
  spool.ignored_bytes = rest.size();
  return spool;
}

nlohmann::json Spool::note(std::string_view type) const {
  for (const nlohmann::json& note : notes)
    if (note.value("type", "") == type) return note;
  return nlohmann::json::object();
}

}  // namespace prof::ingest
