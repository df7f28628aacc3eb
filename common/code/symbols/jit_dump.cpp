#include "common/code/symbols/jit_dump.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/base/take.hpp"

namespace prof::symbols {

using base::take;

namespace {

constexpr std::uint32_t kMagic = 0x4A695444;
constexpr std::uint64_t kTscFlag = 1;

struct FileHeader {
  std::uint32_t magic, version, total_size, machine, padding, pid;
  std::uint64_t time, flags;
};
static_assert(sizeof(FileHeader) == 40);

enum class RecordType : std::uint32_t { kLoad = 0, kMove = 1, kUnwindingInfo = 4 };

struct RecordHeader {
  RecordType type;
  std::uint32_t total_size;
  std::uint64_t time;
};
static_assert(sizeof(RecordHeader) == 16);

// The start of a load record. A zero-terminated name and the code follow.
struct LoadBody {
  std::uint32_t pid, tid;
  std::uint64_t virtual_address, address, size, index;
};
static_assert(sizeof(LoadBody) == 40);

struct MoveBody {
  std::uint32_t pid, tid;
  std::uint64_t virtual_address, from, to, size, index;
};
static_assert(sizeof(MoveBody) == 48);

// The start of an unwinding record. .eh_frame and then .eh_frame_hdr follow.
struct UnwindingBody {
  std::uint64_t size;  // size of both sections
  std::uint64_t header_size;
  std::uint64_t mapped_size;
};
static_assert(sizeof(UnwindingBody) == 24);

// Limits the bytes of a record that are read, whatever size the record states.
constexpr std::size_t kMaxName = 4096;
constexpr std::size_t kMaxEhFrame = std::size_t{1} << 16;
constexpr std::size_t kWindow = std::size_t{1} << 18;
constexpr int kMaxRecords = 1 << 14;
constexpr std::uint64_t kMaxCode = std::uint64_t{1} << 30;

bool is_possible(std::uint64_t address, std::uint64_t size) {
  return size != 0 && size <= kMaxCode && address + size > address;
}

// Returns the number of bytes of the record that are used.
std::size_t wanted_bytes(const RecordHeader& header) {
  std::size_t most = sizeof header;
  if (header.type == RecordType::kLoad) most += sizeof(LoadBody) + kMaxName;
  if (header.type == RecordType::kMove) most += sizeof(MoveBody);
  if (header.type == RecordType::kUnwindingInfo) most += sizeof(UnwindingBody) + kMaxEhFrame;
  return std::min<std::size_t>(header.total_size, most);
}

}  // namespace

bool JitDump::is_dump_name(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return path.starts_with('/') && file.starts_with("jit-") && file.ends_with(".dump");
}

std::optional<JitDump> JitDump::open(const std::string& path, std::uint64_t inode) {
  base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (inode != 0 && status.st_ino != inode) return {};
  return JitDump(std::move(file));
}

bool JitDump::read(const Sink& sink) {
  window_.clear();  // the file may have grown
  if (is_corrupt_ || (offset_ == 0 && !read_header())) return true;
  for (int i = 0; i < kMaxRecords; ++i)
    if (!read_record(sink)) return true;
  return false;
}

bool JitDump::read_header() {
  FileHeader header;
  auto there = bytes(0, sizeof header);
  if (!take(there, header)) return false;
  if (header.magic != kMagic || header.version == 0 || header.total_size < sizeof header) {
    is_corrupt_ = header.magic != 0;  // 0: the header is not written yet
    return false;
  }
  counts_tsc_ = (header.flags & kTscFlag) != 0;
  offset_ = header.total_size;
  return true;
}

// Reads the next record. Returns false if there is no complete one.
bool JitDump::read_record(const Sink& sink) {
  RecordHeader header;
  auto there = bytes(offset_, sizeof header);
  if (!take(there, header) || header.total_size == 0) return false;
  if (header.total_size < sizeof header) {
    is_corrupt_ = true;
    return false;
  }
  const std::size_t wanted = wanted_bytes(header);
  auto body = bytes(offset_, wanted);
  if (body.size() < wanted) return false;
  body = body.subspan(sizeof header);
  MoveBody move;
  if (header.type == RecordType::kLoad)
    take_load(header.time, body, sink);
  else if (header.type == RecordType::kUnwindingInfo)
    take_frames(body);
  else if (header.type == RecordType::kMove && take(body, move) && is_possible(move.to, move.size))
    sink.move({header.time, move.from, move.to, move.size});
  offset_ += header.total_size;
  return true;
}

void JitDump::take_load(std::uint64_t time, std::span<const std::byte> body, const Sink& sink) {
  JitLoad load;
  load.eh_frame = std::exchange(eh_frame_, {});
  LoadBody fields;
  if (!take(body, fields) || !is_possible(fields.address, fields.size)) return;
  load.time = time;
  load.address = fields.address;
  load.size = fields.size;
  const auto* text = reinterpret_cast<const char*>(body.data());
  load.name.assign(text, strnlen(text, body.size()));
  sink.load(std::move(load));
}

void JitDump::take_frames(std::span<const std::byte> body) {
  eh_frame_.clear();
  UnwindingBody fields;
  if (!take(body, fields) || fields.size > body.size() || fields.header_size > fields.size) return;
  const auto eh_frame = body.first(fields.size - fields.header_size);
  eh_frame_.assign(eh_frame.begin(), eh_frame.end());
}

// Returns `size` bytes of the file, fewer at its end. Valid until the next call.
std::span<const std::byte> JitDump::bytes(std::uint64_t offset, std::size_t size) {
  const bool is_known = offset >= window_at_ && offset - window_at_ <= window_.size() &&
                        window_.size() - (offset - window_at_) >= size;
  if (!is_known) {
    window_.resize(kWindow);
    ssize_t count = -1;
    do count = pread(file_.get(), window_.data(), kWindow, static_cast<off_t>(offset));
    while (count < 0 && errno == EINTR);
    window_.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    window_at_ = offset;
  }
  const auto known = std::span<const std::byte>(window_).subspan(offset - window_at_);
  return known.first(std::min(size, known.size()));
}

}  // namespace prof::symbols
