// A program that calls NVTX's extensions with arbitrary schemas, payloads, counters and clocks. The
// injected code makes records of them, some bytes of which are changed, and a report is made of
// these.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/wire/records.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/nvtx/counters.hpp"
#include "injection/nvtx/memory.hpp"
#include "injection/nvtx/payloads.hpp"
#include "injection/nvtx/schemas.cpp"  // to empty its tables
#include "injection/nvtx/time_domains.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/recording.hpp"

namespace prof::core {

// What the injected code needs of the library's core: one chunk that takes all records.
struct Chunk {
  wire::ChunkHeader header;
  std::array<std::byte, 1 << 18> records;
};
alignas(64) Chunk g_chunk;
__thread ThreadState t_state;
LivePage g_live;
ProcessState g_process;
SentHashes<2048> g_sent_strings;

bool prepare_chunk(ThreadState&, std::uint32_t) { return false; }  // it is full
bool has_libc_pointer() { return true; }
bool is_busy() { return true; }
bool is_paused_or_foreign() { return false; }
void report(wire::DiagnosticCode, std::uint64_t) {}
extern "C" void prof_call_quietly() { __builtin_trap(); }  // nothing is paused or busy

void publish(std::uint64_t hash, const char* text, std::size_t length) {
  const auto bytes = static_cast<std::uint32_t>(std::min<std::size_t>(length, 1024));
  const std::uint32_t size = sizeof(wire::StringRecord) + wire::padded(bytes);
  std::byte* place = begin_record(size);
  if (place == nullptr) return;
  const wire::StringRecord record{
      {static_cast<std::uint16_t>(size), wire::RecordType::kString, 0, bytes}, hash};
  std::memset(place, 0, size);
  std::memcpy(place, &record, sizeof record);
  std::memcpy(place + sizeof record, text, bytes);
  end_record(size);
}

std::uint64_t intern(const wchar_t*) { return intern("wide"); }

void empty_chunk() {
  g_live.word.store(wire::kFirstSerial, std::memory_order_relaxed);
  t_state.serial = wire::kFirstSerial;
  t_state.writing = kIdle;
  t_state.chunk = &g_chunk.header;
  t_state.cursor = g_chunk.records.data();
  t_state.limit = g_chunk.records.data() + g_chunk.records.size();
}

}  // namespace prof::core

namespace prof::nvtx {
namespace {

using fuzz::Input;
using wire::RecordType;

void forget_schemas() {
  if (Slot* slots = const_cast<Slot*>(g_slots.get_if_used()))
    madvise(slots, sizeof(Slot) * kSchemaSlots, MADV_DONTNEED);
  g_used_entries = 0;
}

constexpr std::size_t kMemory = 3 * 4096;

// The program's memory. What lies far around it cannot be read.
unsigned char* memory() {
  static auto* const pages = [] {
    constexpr std::size_t kAround = std::size_t{1} << 30;
    void* all =
        mmap(nullptr, 2 * kAround, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) __builtin_trap();
    auto* middle = static_cast<unsigned char*>(all) + kAround;
    if (mprotect(middle, kMemory, PROT_READ | PROT_WRITE) != 0) __builtin_trap();
    return middle;
  }();
  return pages;
}

class Program {
 public:
  Program(const std::uint8_t* data, std::size_t size) : input_(data, size) {}

  void run() {
    std::memset(memory(), 0, kMemory);
    for (int calls = 0; calls < 200 && !input_.empty(); ++calls) call();
  }

 private:
  std::uint8_t byte() { return input_.take<std::uint8_t>(); }
  // Mostly small.
  std::uint64_t number() {
    const std::uint8_t first = byte();
    if (first < 200) return first % 20;
    if (first < 240) return input_.take<std::uint16_t>();
    return input_.take<std::uint64_t>();
  }
  unsigned char* place() {
    const std::uint16_t at = input_.take<std::uint16_t>();
    // Some places cannot be read.
    if (at % 64 == 63) return reinterpret_cast<unsigned char*>(number());
    return memory() + at % (kMemory + 64);
  }
  const char* text() {
    static constexpr const char* kTexts[] = {nullptr,     "",         "a",    "b",
                                             "long name", "\xff\xfe", "n \"", "a (2)"};
    return kTexts[byte() % 8];
  }
  std::uint64_t id() {
    const std::uint8_t which = byte();
    if (which < 40 || ids_.empty()) return number();
    return ids_[which % ids_.size()];
  }
  // Of an entry or a payload.
  std::uint64_t type() {
    const std::uint8_t which = byte();
    return which < 110 ? which : which < 120 ? 1000 + which : id();
  }
  std::uint64_t own_id() {
    const std::uint8_t which = byte();
    return which < 128 ? 0 : kFirstStaticId + which % 8;
  }

  const SemanticsHeader* semantics() {
    switch (byte() % 6) {
      case 0:
        time_ = {{sizeof time_, kTimeSemantics, 1, nullptr}, id()};
        return &time_.header;
      case 1:
        time_ = {{sizeof time_, kScopeSemantics, 1, nullptr}, id()};
        return &time_.header;
      case 2:
        counter_ = {{sizeof counter_, kCounterSemantics, 1, nullptr},
                    number(),
                    text(),
                    number(),
                    number(),
                    static_cast<std::int64_t>(number()),
                    number(),
                    number()};
        return &counter_.header;
      default:
        return nullptr;
    }
  }

  void schema() {
    SchemaEntry entries[12];
    const std::size_t count = 1 + byte() % 12;
    for (std::size_t i = 0; i < count; ++i)
      entries[i] = {input_.take<std::uint16_t>(),
                    type(),
                    text(),
                    text(),
                    number(),
                    number(),
                    semantics(),
                    nullptr};
    const SchemaAttributes attributes{kSchemaName | kSchemaType | kSchemaFlags | kSchemaEntries |
                                          kSchemaEntryCount | kSchemaSize | kSchemaAlignment |
                                          kSchemaId,
                                      text(),
                                      1 + byte() % 4U,
                                      byte(),
                                      entries,
                                      count,
                                      number(),
                                      number(),
                                      own_id(),
                                      nullptr};
    ids_.push_back(register_schema(domain_, &attributes));
  }
  void enumeration() {
    EnumEntry values[6];
    const std::size_t count = byte() % 7;
    for (std::size_t i = 0; i < count; ++i)
      values[i] = {text(), number(), static_cast<std::int8_t>(byte() % 2)};
    const EnumAttributes attributes{
        kEnumName | kEnumEntries | kEnumEntryCount | kEnumSize | kEnumId,
        text(),
        values,
        count,
        byte() % 10U,
        own_id(),
        nullptr};
    ids_.push_back(register_enum(domain_, &attributes));
  }

  std::size_t payloads(PayloadData (&data)[5]) {
    const std::size_t count = byte() % 6;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t how = byte();
      data[i] = {type(), how < 20 ? kUnknownSize : how < 160 ? 64 : number(), place()};
    }
    return count;
  }
  void event() {
    PayloadData data[5];
    const std::size_t count = payloads(data);
    const std::uint64_t token = copy_payloads(domain_, data, count);
    const std::uint64_t time = number();
    switch (byte() % 5) {
      case 0:
        return put(wire::NvtxPopPayloadRecord{
            core::header_of<wire::NvtxPopPayloadRecord>(RecordType::kNvtxPopPayload, 1), time,
            token});
      case 1:
        return put(wire::NvtxEndPayloadRecord{
            core::header_of<wire::NvtxEndPayloadRecord>(RecordType::kNvtxEndPayload, 1), time,
            number(), token});
      case 2:
        return put_event(RecordType::kNvtxPushEx, time, token);
      case 3:
        return put_event(RecordType::kNvtxStart, time, token);
      default:
        return put_event(RecordType::kNvtxMark, time, token);
    }
  }
  void put_event(RecordType type, std::uint64_t time, std::uint64_t token) {
    wire::NvtxEventRecord record{};
    record.header = core::header_of<wire::NvtxEventRecord>(type, 1);
    record.time = time;
    record.range_id = number();
    record.payload = token;
    record.payload_type = wire::kNvtxExtendedPayload;
    put(record);
  }
  template <class Record>
  void put(const Record& record) {
    core::append(record);
  }

  void counter() {
    const CounterAttributes attributes{sizeof attributes, type(),  text(), text(), id(),
                                       semantics(),       own_id()};
    ids_.push_back(register_counter(domain_, &attributes));
  }
  void samples() {
    const std::uint64_t which = id();
    switch (byte() % 5) {
      case 0:
        return sample(domain_, which, static_cast<std::int64_t>(number()));
      case 1:
        return sample(domain_, which, input_.take<double>());
      case 2:
        return sample(domain_, which, place(), number());
      case 3:
        return sample_without_value(domain_, which, byte());
      default: {
        const CounterBatch batch{
            which,   place(), number(), number() << 32, reinterpret_cast<std::int64_t*>(place()),
            number()};
        return submit(domain_, &batch);
      }
    }
  }
  void deferred() {
    if (byte() % 2 == 0) {
      PayloadData data[5];
      const std::size_t count = payloads(data);
      return submit(domain_, data, count);
    }
    const EventBatch batch{id(), number(), place(), id(), number(), place(), number(), number()};
    submit(domain_, &batch);
  }
  void clocks() {
    const auto time = [this] { return static_cast<std::int64_t>(number()); };
    const std::uint8_t which = byte();
    if (which < 100) {
      const TimeDomainAttributes attributes{id(), number(), own_id(), number(), time(), number()};
      ids_.push_back(register_time_domain(domain_, &attributes));
    } else if (which < 180) {
      const SyncPoint points[] = {{time(), time()}, {time(), time()}};
      record_sync_points(domain_, id(), id(), points, 2);
    } else if (which < 220) {
      const std::uint64_t source = id();
      const SyncPoint point{time(), time()};
      record_slope(domain_, source, id(), input_.take<double>(), point);
    } else {
      const ScopeAttributes attributes{sizeof attributes, text(), id(), own_id()};
      ids_.push_back(register_scope(domain_, &attributes));
    }
  }
  void heaps() {
    const std::uint8_t which = byte() % 6;
    const auto handle = reinterpret_cast<MemoryHandle>(number());
    const VirtualRange range{number(), place()};
    if (which == 0) {
      const HeapDescription heap{0,      sizeof heap, 0, 1,       kVirtualAddress, sizeof range,
                                 &range, 0,           1, {text()}};
      register_heap(domain_, &heap);
    } else if (which == 1) {
      record_heap(domain_, handle,
                  byte() % 2 == 0 ? wire::NvtxMemory::kHeapEnd : wire::NvtxMemory::kHeapReset);
    } else if (which == 2) {
      const RegionsRegisterBatch batch{0, sizeof batch, kVirtualAddress, handle,
                                       1, sizeof range, &range,          nullptr};
      register_regions(domain_, &batch);
    } else if (which == 3) {
      const RegionsResizeBatch batch{0, sizeof batch, kVirtualAddress, 1, sizeof range, &range};
      resize_regions(domain_, &batch);
    } else if (which == 4) {
      const RegionsUnregisterBatch batch{0, sizeof batch,  1 + byte() % 2U,
                                         1, sizeof handle, &handle};
      unregister_regions(domain_, &batch);
    } else {
      const RegionName named{1 + byte() % 2U, 1, number(), {text()}, 3, 0};
      const RegionsNameBatch batch{0, sizeof batch, 0, 1, sizeof named, &named, 0};
      name_regions(domain_, &batch);
    }
  }
  // A number or an address somewhere in the program's memory.
  void store() {
    const std::size_t at = input_.take<std::uint16_t>() % (kMemory - 8);
    const std::uint64_t value =
        byte() % 2 == 0 ? number() : reinterpret_cast<std::uintptr_t>(place());
    std::memcpy(memory() + at, &value, sizeof value);
  }

  void call() {
    switch (byte() % 16) {
      case 0:
      case 1:
        return schema();
      case 2:
        return enumeration();
      case 3:
        return counter();
      case 4:
      case 5:
        return samples();
      case 6:
        return deferred();
      case 7:
      case 8:
        return clocks();
      case 9:
        return heaps();
      case 10:
      case 11:
        return store();
      default:
        return event();
    }
  }

  Input input_;
  static constexpr Domain domain_{1, true};
  std::vector<std::uint64_t> ids_;
  IdSemantics time_{};
  CounterSemantics counter_{};
};

// Changes bytes as a hostile program could, which writes the records itself.
void damage(std::byte* records, std::size_t size, Input input) {
  if (size == 0) return;
  for (int changes = input.take<std::uint8_t>() % 4; changes > 0; --changes) {
    const std::size_t at = input.take<std::uint32_t>() % size;
    records[at] = input.take<std::byte>();
  }
}

}  // namespace
}  // namespace prof::nvtx

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prof;
  constexpr std::size_t kDamage = 16;
  const std::size_t calls = size < kDamage ? 0 : size - kDamage;
  nvtx::forget_schemas();
  core::empty_chunk();
  nvtx::Program(data, calls).run();
  std::byte* records = core::g_chunk.records.data();
  const auto bytes = static_cast<std::size_t>(core::t_state.cursor - records);
  nvtx::damage(records, bytes, {data + calls, size - calls});
  fuzz::make_report(fuzz::recording({records, bytes}, {}));
  return 0;
}
