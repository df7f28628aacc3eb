#include "collector/spool/flight/open_ranges.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "collector/spool/decoder.hpp"

namespace prof::spool {

// Takes the records of a thread.
class OpenRanges::Visitor {
 public:
  Visitor(OpenRanges& to, const Thread& thread)
      : thread_(thread), pushed_(to.threads_[thread]), started_(to.started_[thread.first]) {}

  void operator()(const wire::ThreadRecord& /*record*/) {
    pushed_.clear();  // a later thread with the same id
  }
  void operator()(const wire::NvtxPushRecord& record) {
    pushed_.push(record.header.aux, trimmed(record));
  }
  void operator()(const wire::NvtxPopRecord& record) { pushed_.pop(record.header.aux); }
  void operator()(const wire::NvtxPopPayloadRecord& record) { pushed_.pop(record.header.aux); }
  void operator()(const wire::NvtxEventRecord& record) {
    if (record.header.type == wire::RecordType::kNvtxPushEx)
      pushed_.push(record.header.aux, trimmed(record));
    else if (record.header.type == wire::RecordType::kNvtxStart)
      started_.start(record.range_id, {thread_.second, trimmed(record)});
  }
  void operator()(const wire::NvtxEndRecord& record) { started_.end(record.range_id, {}); }
  void operator()(const wire::NvtxEndPayloadRecord& record) { started_.end(record.range_id, {}); }

 private:
  // Only the struct is kept of a record that says that it is longer.
  template <class Record>
  static Record trimmed(Record record) {
    record.header.size = sizeof record;
    return record;
  }

  Thread thread_;
  PushedRanges<Pushed>& pushed_;
  StartedRanges<Started, Ended>& started_;
};

void OpenRanges::forget(std::uint32_t serial) {
  threads_.erase(threads_.lower_bound({serial, 0}), threads_.upper_bound({serial, ~0U}));
  started_.erase(serial);
}

void OpenRanges::fold(std::span<const Piece> pieces) {
  std::vector<const Piece*> sorted;
  sorted.reserve(pieces.size());
  for (const Piece& piece : pieces) sorted.push_back(&piece);
  std::ranges::sort(sorted, {}, [](const Piece* piece) {
    return std::tuple(piece->header.serial, piece->header.tid, piece->header.claimed,
                      piece->header.offset);
  });
  for (const Piece* piece : sorted)
    decode(piece->bytes, Visitor(*this, {piece->header.serial, piece->header.tid}));
  const auto is_empty = [](const auto& each) { return each.second.empty(); };
  std::erase_if(threads_, is_empty);
  std::erase_if(started_, is_empty);
}

void OpenRanges::for_each(const Sink& sink) const {
  std::map<Thread, std::vector<std::byte>> pieces;
  const auto add = [&](const Thread& thread, const auto& record) {
    const auto bytes = std::as_bytes(std::span(&record, 1));
    pieces[thread].insert(pieces[thread].end(), bytes.begin(), bytes.end());
  };
  for (const auto& [thread, ranges] : threads_)
    ranges.for_each([&, &thread = thread](const Pushed& pushed) {
      std::visit([&](const auto& record) { add(thread, record); }, pushed);
    });
  for (const auto& [serial, ranges] : started_)
    ranges.for_each([&, serial = serial](const Started& started) {
      add({serial, started.tid}, started.record);
    });
  // These records come after the definitions, and before the records of the thread's chunks.
  for (const auto& [thread, bytes] : pieces)
    sink({.serial = thread.first, .tid = thread.second, .claimed = 0, .offset = 1, .reserved = 0},
         bytes);
}

}  // namespace prof::spool
