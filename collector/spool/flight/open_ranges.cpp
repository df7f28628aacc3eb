#include "collector/spool/flight/open_ranges.hpp"

#include <algorithm>
#include <tuple>

#include "collector/spool/decoder.hpp"

namespace prof::spool {

namespace {

// A program that never ends its ranges does not make this grow any further.
constexpr std::size_t kMostRecords = 100'000;
constexpr std::size_t kDeepest = 1024;

}  // namespace

OpenRanges::Record OpenRanges::copy_of(std::span<const std::byte> record) {
  Record copy{};
  copy.size = std::min(record.size(), copy.bytes.size());
  std::ranges::copy(record.first(copy.size), copy.bytes.begin());
  return copy;
}

OpenRanges::Stack& OpenRanges::stack_of(Stacks& stacks, std::uint32_t domain) {
  const auto found = std::ranges::find(stacks, domain, &Stack::domain);
  return found != stacks.end() ? *found : stacks.emplace_back(Stack{domain, {}});
}

void OpenRanges::push(Stacks& stacks, std::uint32_t domain, std::span<const std::byte> record) {
  Stack& stack = stack_of(stacks, domain);
  if (stack.records.size() >= kDeepest) {
    ++stack.deeper;
    return;
  }
  stack.records.push_back(copy_of(record));
  ++records_;
}

void OpenRanges::pop(Stacks& stacks, std::uint32_t domain) {
  const auto stack = std::ranges::find(stacks, domain, &Stack::domain);
  if (stack == stacks.end() || stack->records.empty()) return;
  if (stack->deeper > 0) {
    --stack->deeper;
    return;
  }
  stack->records.pop_back();
  --records_;
}

void OpenRanges::start(const Thread& thread, std::uint64_t id, std::span<const std::byte> record) {
  if (records_ >= kMostRecords) return;
  if (started_[thread.first].insert_or_assign(id, Started{thread.second, copy_of(record)}).second)
    ++records_;
}

void OpenRanges::end(const std::vector<Ended>& ended) {
  for (const Ended& each : ended) {
    const auto process = started_.find(each.serial);
    if (process == started_.end()) continue;
    records_ -= process->second.erase(each.id);
    if (process->second.empty()) started_.erase(process);
  }
}

void OpenRanges::clear(Stacks& stacks) {
  for (const Stack& stack : stacks) records_ -= stack.records.size();
  stacks.clear();
}

void OpenRanges::forget(std::uint32_t serial) {
  auto at = threads_.lower_bound({serial, 0});
  while (at != threads_.end() && at->first.first == serial) {
    clear(at->second);
    at = threads_.erase(at);
  }
  const auto process = started_.find(serial);
  if (process == started_.end()) return;
  records_ -= process->second.size();
  started_.erase(process);
}

void OpenRanges::fold(std::span<const Piece> pieces) {
  std::vector<const Piece*> sorted;
  sorted.reserve(pieces.size());
  for (const Piece& piece : pieces) sorted.push_back(&piece);
  std::ranges::sort(sorted, {}, [](const Piece* piece) {
    return std::tuple(piece->header.serial, piece->header.tid, piece->header.claimed,
                      piece->header.offset);
  });
  std::vector<Ended> ended;
  for (const Piece* piece : sorted)
    fold({piece->header.serial, piece->header.tid}, piece->bytes, ended);
  end(early_);
  end(ended);
  early_ = std::move(ended);
}

void OpenRanges::fold(const Thread& thread, std::span<const std::byte> bytes,
                      std::vector<Ended>& ended) {
  using Type = wire::RecordType;
  Stacks& stacks = threads_[thread];
  while (const std::size_t size = record_size(bytes)) {
    const auto record = bytes.first(size);
    bytes = bytes.subspan(size);
    const auto header = record_at<wire::RecordHeader>(record.data());
    switch (header.type) {
      case Type::kNvtxPush:
      case Type::kNvtxPushEx:
        push(stacks, header.aux, record);
        break;
      case Type::kNvtxPop:
      case Type::kNvtxPopPayload:
        pop(stacks, header.aux);
        break;
      case Type::kNvtxStart:
        if (size >= sizeof(wire::NvtxEventRecord))
          start(thread, record_at<wire::NvtxEventRecord>(record.data()).range_id, record);
        break;
      case Type::kNvtxEnd:
      case Type::kNvtxEndPayload:
        if (size >= sizeof(wire::NvtxEndRecord))
          ended.push_back({thread.first, record_at<wire::NvtxEndRecord>(record.data()).range_id});
        break;
      case Type::kThread:
        clear(stacks);  // a later thread with the same id
        break;
      default:
        break;
    }
  }
  if (std::ranges::all_of(stacks, [](const Stack& stack) { return stack.records.empty(); }))
    threads_.erase(thread);
}

void OpenRanges::for_each(const Sink& sink) const {
  std::map<Thread, std::vector<std::byte>> pieces;
  const auto add = [&](const Thread& thread, const Record& record) {
    const auto content = record.content();
    pieces[thread].insert(pieces[thread].end(), content.begin(), content.end());
  };
  for (const auto& [thread, stacks] : threads_)
    for (const Stack& stack : stacks)
      for (const Record& record : stack.records) add(thread, record);
  for (const auto& [serial, ids] : started_)
    for (const auto& [id, started] : ids) add({serial, started.tid}, started.record);
  // After the definitions, and before what the thread's chunks have.
  for (const auto& [thread, bytes] : pieces)
    sink({.serial = thread.first, .tid = thread.second, .claimed = 0, .offset = 1, .reserved = 0},
         bytes);
}

}  // namespace prof::spool
