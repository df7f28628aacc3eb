#include "collector/spool/recent_recording.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "collector/spool/blocks.hpp"

namespace prof::spool {

namespace {

constexpr std::size_t kStep = std::size_t{4} << 20;

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

void append_block(std::vector<std::byte>& bytes, const PieceHeader& piece,
                  std::span<const std::byte> records) {
  const std::uint64_t payload = sizeof piece + records.size();
  append(bytes, BlockHeader{kBlockMagic, kRecords, payload});
  append(bytes, piece);
  bytes.insert(bytes.end(), records.begin(), records.end());
  bytes.resize(bytes.size() + padded(payload) - payload);
}

}  // namespace

base::Result<RecentRecording> RecentRecording::open(const std::string& path) {
  base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return base::fail_errno("cannot open " + path, errno);
  std::byte magic[sizeof kSpoolMagic];
  if (pread(file.get(), magic, sizeof magic, 0) != sizeof magic || !Spool::is_recording(magic))
    return base::fail(path + " is not a recording of prof");
  RecentRecording recording(path, std::move(file));
  recording.offset_ = sizeof kSpoolMagic;
  return recording;
}

base::Status RecentRecording::read(std::uint64_t time) {
  is_cut_ = false;
  struct stat info {};
  if (fstat(file_.get(), &info) != 0) return base::fail_errno(path_, errno);
  const auto end = static_cast<std::uint64_t>(info.st_size);
  if (end < offset_) return base::fail(path_ + " was truncated");
  while (offset_ < end) {
    const std::size_t known = unread_.size();
    unread_.resize(known + std::min<std::uint64_t>(kStep, end - offset_));
    const ssize_t count =
        pread(file_.get(), &unread_[known], unread_.size() - known, static_cast<off_t>(offset_));
    if (count <= 0 && errno != EINTR) return base::fail_errno("cannot read " + path_, errno);
    unread_.resize(known + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    offset_ += static_cast<std::uint64_t>(std::max<ssize_t>(count, 0));
    std::span<const std::byte> rest(unread_);
    while (rest.size() >= sizeof(BlockHeader)) {
      if (read_as<BlockHeader>(rest).magic != kBlockMagic) return base::fail(path_ + " is damaged");
      const std::uint64_t length = block_length(rest);
      if (length == 0) break;  // the rest of the block has not been read yet
      take(rest.first(length), time);
      rest = rest.subspan(length);
    }
    unread_.erase(unread_.begin(), unread_.end() - static_cast<std::ptrdiff_t>(rest.size()));
  }
  return {};
}

void RecentRecording::take(std::span<const std::byte> block, std::uint64_t time) {
  const auto header = read_as<BlockHeader>(block);
  const auto payload = block.subspan(sizeof header, header.bytes);
  if (header.kind == kNote &&
      is_end_note({reinterpret_cast<const char*>(payload.data()), payload.size()}))
    has_ended_ = true;
  if (header.kind == kNote || header.kind == kClock || header.kind == kStackNodes) {
    kept_.insert(kept_.end(), block.begin(), block.end());
    return;
  }
  recent_.push_back({time, {block.begin(), block.end()}});
  recent_bytes_ += block.size();
  while (recent_bytes_ > kMaxBytes) {
    is_cut_ = true;
    forget_first();
  }
}

void RecentRecording::forget_first() {
  const std::span<const std::byte> block(recent_.front().bytes);
  const auto header = read_as<BlockHeader>(block);
  if (header.kind == kRecords && header.bytes >= sizeof(PieceHeader)) {
    const auto payload = block.subspan(sizeof header, header.bytes);
    definitions_.take(read_as<PieceHeader>(payload), payload.subspan(sizeof(PieceHeader)));
  }
  recent_bytes_ -= block.size();
  recent_.pop_front();
}

void RecentRecording::forget_before(std::uint64_t time) {
  while (!recent_.empty() && recent_.front().time < time) forget_first();
}

std::vector<std::byte> RecentRecording::bytes() const {
  std::vector<std::byte> bytes;
  bytes.reserve(sizeof kSpoolMagic + kept_.size() + recent_bytes_);
  append(bytes, kSpoolMagic);
  bytes.insert(bytes.end(), kept_.begin(), kept_.end());
  definitions_.for_each([&](const PieceHeader& piece, std::span<const std::byte> records) {
    append_block(bytes, piece, records);
  });
  for (const Block& each : recent_) bytes.insert(bytes.end(), each.bytes.begin(), each.bytes.end());
  return bytes;
}

}  // namespace prof::spool
