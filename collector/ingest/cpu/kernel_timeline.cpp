#include "collector/ingest/cpu/kernel_timeline.hpp"

#include <cstring>
#include <map>
#include <queue>
#include <utility>
#include <vector>

namespace prof::ingest {

namespace {

// Reads the records of one CPU in order.
class Cursor {
 public:
  explicit Cursor(std::pmr::memory_resource* memory) : pieces_(memory) {}

  void add(std::span<const std::byte> bytes) { pieces_.push_back(bytes); }

  // Reads the next event. Returns false if no event is left.
  bool advance(KernelEvent& event) {
    for (; at_ < pieces_.size(); ++at_) {
      if (read(pieces_[at_], event)) return true;
      corrupt_bytes_ += pieces_[at_].size();
    }
    return false;
  }

  std::uint64_t corrupt_bytes() const { return corrupt_bytes_; }

 private:
  // Removes a record from the front. An unknown type ends the piece, because the length of its
  // record is not known.
  static bool read(std::span<const std::byte>& bytes, KernelEvent& event) {
    if (bytes.size() < sizeof event.record) return false;
    std::memcpy(&event.record, bytes.data(), sizeof event.record);
    event.name = {};
    event.fields = {};
    const spool::KernelRecordType type = event.record.type;
    if (type < spool::KernelRecordType::kEnter || type > spool::KernelRecordType::kTracepoint)
      return false;
    std::size_t length = sizeof event.record;
    if (type == spool::KernelRecordType::kName) {
      length += sizeof(spool::KernelThreadName);
      if (bytes.size() < length) return false;
      const auto* text = reinterpret_cast<const char*>(bytes.data()) + sizeof event.record;
      event.name = {text, strnlen(text, sizeof(spool::KernelThreadName))};
    } else if (type == spool::KernelRecordType::kTracepoint) {
      const std::size_t fields = event.record.length;
      length += spool::padded_length(fields);
      if (bytes.size() < length) return false;
      event.fields = bytes.subspan(sizeof event.record, fields);
    }
    bytes = bytes.subspan(length);
    return true;
  }

  std::pmr::vector<std::span<const std::byte>> pieces_;
  std::size_t at_ = 0;
  std::uint64_t corrupt_bytes_ = 0;
};

struct Head {
  KernelEvent event;
  Cursor* cursor;
  // The order is inverted, so that the top of the queue is the earliest event.
  bool operator<(const Head& other) const { return event.record.time > other.event.record.time; }
};

}  // namespace

std::uint64_t for_each_kernel_event(std::span<const spool::KernelPiece> pieces,
                                    spool::KernelSource source, std::pmr::memory_resource* memory,
                                    const std::function<void(const KernelEvent&)>& visit) {
  std::map<std::uint32_t, Cursor> cursors;
  for (const spool::KernelPiece& piece : pieces)
    if (piece.header.source == source)
      cursors.try_emplace(piece.header.cpu, memory).first->second.add(piece.bytes);
  std::priority_queue<Head> heads;
  for (auto& [cpu, cursor] : cursors) {
    Head head{{{}, cpu, {}, {}}, &cursor};
    if (cursor.advance(head.event)) heads.push(head);
  }
  while (!heads.empty()) {
    Head head = heads.top();
    heads.pop();
    // The queue is not used while this CPU has the earliest event.
    do {
      visit(head.event);
      if (head.cursor->advance(head.event)) continue;
      head.cursor = nullptr;
    } while (head.cursor != nullptr && (heads.empty() || !(head < heads.top())));
    if (head.cursor != nullptr) heads.push(head);
  }
  std::uint64_t corrupt_bytes = 0;
  for (const auto& [cpu, cursor] : cursors) corrupt_bytes += cursor.corrupt_bytes();
  return corrupt_bytes;
}

}  // namespace prof::ingest
