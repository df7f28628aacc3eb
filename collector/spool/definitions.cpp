#include "collector/spool/definitions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "collector/spool/decoder.hpp"
#include "common/wire/hash.hpp"

namespace prof::spool {

namespace {

using Key = Definitions::Key;

std::uint64_t pair_of(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32) | low;
}

// True for what a process reports only once, possibly between collections, and what applies to all
// collections.
bool concerns_all_collections(wire::DiagnosticCode code) {
  using Code = wire::DiagnosticCode;
  return code == Code::kNvtxModuleMissing || code == Code::kNvtxDomainLimit ||
         code == Code::kNvtxSchemaLimit || code == Code::kRemark || code == Code::kOpenMpToolTaken;
}

// Finds out what a record defines.
struct Finder {
  std::uint32_t serial;
  std::uint32_t tid;
  std::optional<Key> found = {};

  template <class Record>
  void shared(const Record& record, std::uint64_t id, std::uint64_t part = 0) {
    found = Key{static_cast<std::uint32_t>(record.header.type), 0, id, part};
  }
  template <class Record>
  void own(const Record& record, std::uint64_t id, std::uint64_t part = 0) {
    found = Key{static_cast<std::uint32_t>(record.header.type), serial, id, part};
  }

  void operator()(const wire::StringRecord& r, std::string_view) { shared(r, r.hash); }
  void operator()(const wire::FunctionRecord& r) { shared(r, r.header.aux); }
  void operator()(const wire::PythonCodeRecord& r, std::span<const std::byte>) { shared(r, r.key); }
  void operator()(const wire::ChainRecord& r, std::span<const std::byte>) { shared(r, r.chain); }
  void operator()(const wire::CudaCubinRecord& r, std::span<const std::byte>) {
    shared(r, r.crc, r.at);
  }
  void operator()(const wire::ThreadRecord& r) { own(r, tid); }
  void operator()(const wire::ThreadNameRecord& r) { own(r, r.header.aux, r.header.flags); }
  void operator()(const wire::NvtxDomainRecord& r) { own(r, r.header.aux); }
  void operator()(const wire::NvtxCategoryRecord& r) { own(r, r.header.aux, r.category); }
  void operator()(const wire::NvtxSchemaRecord& r, std::span<const std::byte>) {
    own(r, r.id, r.domain);
  }
  void operator()(const wire::NvtxEnumRecord& r, std::span<const std::byte>) {
    own(r, r.id, r.domain);
  }
  void operator()(const wire::NvtxSemanticsRecord& r) {
    own(r, r.owner, pair_of(r.entry, r.header.aux << 8 | r.header.flags));
  }
  void operator()(const wire::NvtxScopeRecord& r) { own(r, r.id, r.header.aux); }
  void operator()(const wire::NvtxTimeDomainRecord& r) { own(r, r.id, r.header.aux); }
  // The record has the last moment at which both clocks were read.
  void operator()(const wire::NvtxTimeSyncRecord& r) { own(r, r.source, r.target); }
  void operator()(const wire::NvtxCounterRecord& r) { own(r, r.id, r.header.aux); }
  void operator()(const wire::DiagnosticRecord& r) {
    if (concerns_all_collections(static_cast<wire::DiagnosticCode>(r.header.aux)))
      own(r, r.header.aux, r.arg);
  }
  void operator()(const wire::RankVariableRecord& r) { own(r, r.text); }
  // A handle is used again after its communicator has been freed: then the later one counts.
  void operator()(const wire::MpiCommunicatorRecord& r) { own(r, r.comm); }
  void operator()(const wire::UcpWorkerRecord& r) { own(r, r.uid); }
  void operator()(const wire::VulkanNameRecord& r) { own(r, r.object); }
  // The latest comparison of the clocks is kept.
  void operator()(const wire::VulkanClockRecord& r) { own(r, r.header.aux); }
  void operator()(const wire::CodeAddressRecord& r) { own(r, r.code); }
  void operator()(const wire::NvtxSyncRecord& r) {
    if (r.header.flags == static_cast<std::uint8_t>(wire::NvtxSync::kCreated)) own(r, r.object);
  }
  void operator()(const wire::NvtxMemoryRecord& r) {
    if (r.header.flags == static_cast<std::uint8_t>(wire::NvtxMemory::kHeap)) own(r, r.object);
  }
  // The end replaces the record of the open range.
  void operator()(const wire::NvtxGraphRangeRecord& r) {
    own(r, r.start, pair_of(tid, r.header.aux));
  }
  void operator()(const wire::CudaDeviceRecord& r) { own(r, r.header.aux); }
  void operator()(const wire::CudaContextRecord& r) { own(r, r.header.aux); }
  void operator()(const wire::CudaStreamRecord& r) { own(r, pair_of(r.context, r.header.aux)); }
  void operator()(const wire::CudaNameRecord& r) {
    own(r, pair_of(r.context, r.header.aux), r.header.flags);
  }
  void operator()(const wire::CudaGraphEventRecord& r) {
    own(r, r.id, pair_of(static_cast<std::uint32_t>(r.exec), r.header.aux));
  }
};

// Most records are events, which the type alone shows, without decoding.
bool may_define(wire::RecordType type) {
  using Type = wire::RecordType;
  switch (type) {
    case Type::kCall:
    case Type::kNvtxPush:
    case Type::kNvtxPop:
    case Type::kNvtxPushEx:
    case Type::kNvtxMark:
    case Type::kNvtxStart:
    case Type::kNvtxEnd:
    case Type::kEventChain:
    case Type::kStackNode:
    case Type::kShortCalls:
    case Type::kWeight:
    case Type::kThinning:
    case Type::kCpuSampleNode:
    case Type::kPythonSample:
    case Type::kCudaCall:
    case Type::kCudaRecordedCall:
    case Type::kCudaKernel:
    case Type::kCudaMemcpy:
    case Type::kCudaSync:
    case Type::kCudaEvent:
    case Type::kMpiMessage:
    case Type::kMpiCollective:
    case Type::kMpiRequest:
    case Type::kMpiCall:
    case Type::kOpenMpBegin:
    case Type::kOpenMpEnd:
    case Type::kOpenAcc:
    case Type::kVulkanCall:
    case Type::kVulkanLabel:
    case Type::kVulkanPipeline:
    case Type::kVulkanMemory:
    case Type::kVulkanWorkload:
    case Type::kMatrixProduct:
    case Type::kOpenGlCall:
    case Type::kOpenGlGroup:
    case Type::kOpenGlWorkload:
    case Type::kOpenGlGpuGroup:
    case Type::kUcpTransfer:
    case Type::kUcpCall:
    case Type::kShmemCall:
    case Type::kTorchMemory:
      return false;
    default:
      return true;
  }
}

// True for types of definitions of which a program can make any number.
bool is_unlimited(std::uint32_t type) {
  using Type = wire::RecordType;
  switch (static_cast<Type>(type)) {
    case Type::kString:
    case Type::kPythonCode:
    case Type::kChain:
    case Type::kThread:
    case Type::kThreadName:
    case Type::kRankVariable:
    case Type::kCudaStream:
    case Type::kCudaName:
    case Type::kCudaGraphEvent:
    case Type::kNvtxSync:
    case Type::kNvtxGraphRange:
    case Type::kMpiCommunicator:
    case Type::kUcpWorker:
    case Type::kVulkanName:
    case Type::kCodeAddress:
      return true;
    default:
      return false;
  }
}

// True for types whose id is a hash or a key of 64 bits, which other records refer to.
bool has_global_id(std::uint32_t type) {
  using Type = wire::RecordType;
  const auto kind = static_cast<Type>(type);
  return kind == Type::kString || kind == Type::kPythonCode || kind == Type::kChain;
}

template <class Visit>
void for_each_word(std::span<const std::byte> bytes, Visit visit) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size();
       at += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    visit(word);
  }
}

}  // namespace

std::size_t Definitions::Hash::operator()(const Key& key) const {
  const std::uint64_t words[] = {pair_of(key.type, key.serial), key.id, key.part};
  return wire::hash_text(reinterpret_cast<const char*>(words), sizeof words);
}

// A later definition of the same thing replaces the earlier one, as in the report.
void Definitions::take(const PieceHeader& piece, std::span<const std::byte> bytes) {
  while (const std::size_t size = record_size(bytes)) {
    const auto record = bytes.first(size);
    bytes = bytes.subspan(size);
    if (!may_define(record_at<wire::RecordHeader>(record.data()).type)) continue;
    Finder finder{piece.serial, piece.tid};
    if (decode(record, finder).corrupt_bytes != 0 || !finder.found) continue;
    const auto [found, is_new] =
        definitions_[finder.found->serial].try_emplace(*finder.found, Definition{});
    Definition& definition = found->second;
    if (!is_new) bytes_ -= cost(definition);
    definition.serial = piece.serial;
    definition.tid = piece.tid;
    definition.order = next_order_++;
    definition.bytes.assign(record.begin(), record.end());
    bytes_ += cost(definition);
  }
}

void Definitions::forget(std::uint32_t serial) {
  const auto found = serial == 0 ? definitions_.end() : definitions_.find(serial);
  if (found == definitions_.end()) return;
  for (const auto& [key, definition] : found->second) bytes_ -= cost(definition);
  definitions_.erase(found);
}

void Definitions::notice_uses(std::span<const std::byte> bytes) {
  using Type = wire::RecordType;
  constexpr std::uint32_t kSampled = 8;
  static_assert(offsetof(wire::NvtxPushRecord, text) == offsetof(wire::NvtxEventRecord, text));
  const auto texts = definitions_.find(0);
  if (texts == definitions_.end()) return;
  for (std::size_t size; (size = record_size(bytes)) != 0; bytes = bytes.subspan(size)) {
    const Type type = record_at<wire::RecordHeader>(bytes.data()).type;
    const bool has_text = type == Type::kNvtxPush || type == Type::kNvtxPushEx ||
                          type == Type::kNvtxMark || type == Type::kNvtxStart;
    if (!has_text || size < sizeof(wire::NvtxPushRecord) || ++unnoticed_ < kSampled) continue;
    unnoticed_ = 0;
    const Key key{static_cast<std::uint32_t>(Type::kString), 0,
                  record_at<wire::NvtxPushRecord>(bytes.data()).text, 0};
    if (const auto found = texts->second.find(key); found != texts->second.end()) {
      ++found->second.uses;
      found->second.order = next_order_++;
    }
  }
}

// The cost includes the memory of the map and of the allocator.
std::size_t Definitions::cost(const Definition& definition) {
  constexpr std::size_t kOverhead = 128;
  return kOverhead + definition.bytes.capacity();
}

// Any word of a record may be a reference. That assumption keeps too much now and then, but never
// too little.
std::size_t Definitions::shrink(std::size_t most, const Use& use) {
  struct Candidate {
    bool is_used_again;
    std::uint64_t order;
    const Key* key;
    const Definition* definition;
  };
  std::vector<Candidate> candidates;
  std::size_t bytes_used_again = 0;
  std::unordered_map<std::uint64_t, std::vector<const Definition*>> by_id;
  constexpr std::uint32_t kFew = 2;
  for (const auto& [serial, of_process] : definitions_)
    for (const auto& [key, definition] : of_process) {
      if (!is_unlimited(key.type)) continue;
      candidates.push_back({definition.uses >= kFew, definition.order, &key, &definition});
      if (definition.uses >= kFew) bytes_used_again += cost(definition);
      if (has_global_id(key.type)) by_id[key.id].push_back(&definition);
    }
  // The bits identify most words that are not ids without a look into the map.
  constexpr std::size_t kBits = std::size_t{1} << 24;
  std::vector<bool> may_be_id(kBits);
  for (const auto& [id, which] : by_id) may_be_id[id % kBits] = true;
  std::unordered_set<const Definition*> used;
  std::vector<const Definition*> fresh;
  const auto mark = [&](std::uint64_t word) {
    if (!may_be_id[word % kBits]) return;
    const auto found = by_id.find(word);
    if (found == by_id.end()) return;
    for (const Definition* each : found->second)
      if (used.insert(each).second) fresh.push_back(each);
  };
  const auto mark_words = [&](std::span<const std::byte> bytes) { for_each_word(bytes, mark); };
  use.records(mark_words);
  for (const auto& [serial, of_process] : definitions_)
    for (const auto& [key, definition] : of_process)
      if (!is_unlimited(key.type) || !has_global_id(key.type)) mark_words(definition.bytes);
  while (!fresh.empty()) {
    const Definition* each = fresh.back();
    fresh.pop_back();
    // The record's own id among the words is harmless: it is marked already.
    mark_words(each->bytes);
  }
  std::ranges::sort(candidates, {}, [](const Candidate& each) {
    return std::pair(each.is_used_again, each.order);
  });
  std::size_t forgotten = 0;
  for (const auto& [is_used_again, order, key, definition] : candidates) {
    // Names that are used only once may need all the memory for a while.
    if (bytes_ <= most || (is_used_again && bytes_used_again <= most)) break;
    const bool is_thread = key->type == static_cast<std::uint32_t>(wire::RecordType::kThread);
    if (used.contains(definition)) continue;
    if (is_thread && use.lives(definition->serial, definition->tid)) continue;
    bytes_ -= cost(*definition);
    if (is_used_again) bytes_used_again -= cost(*definition);
    const Key copy = *key;
    definitions_[copy.serial].erase(copy);
    ++forgotten;
  }
  return forgotten;
}

void Definitions::for_each(const Sink& sink) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::byte>> threads;
  for (const auto& [serial, of_process] : definitions_) {
    for (const auto& [key, definition] : of_process) {
      auto& bytes = threads[{definition.serial, definition.tid}];
      bytes.insert(bytes.end(), definition.bytes.begin(), definition.bytes.end());
    }
  }
  for (const auto& [thread, bytes] : threads)
    sink({.serial = thread.first, .tid = thread.second, .claimed = 0, .offset = 0, .reserved = 0},
         bytes);
}

}  // namespace prof::spool
