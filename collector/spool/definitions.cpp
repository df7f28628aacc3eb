#include "collector/spool/definitions.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "collector/spool/decoder.hpp"
#include "injection/wire/hash.hpp"

namespace prof::spool {

namespace {

using Key = Definitions::Key;

std::uint64_t pair_of(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32) | low;
}

// Finds out what a record defines.
struct Finder {
  std::uint32_t serial;
  std::uint32_t tid;
  std::optional<Key> found = {};

  template <class Record>
  void shared(const Record& record, std::uint64_t id) {
    found = Key{static_cast<std::uint32_t>(record.header.type), 0, id, 0};
  }
  template <class Record>
  void own(const Record& record, std::uint64_t id, std::uint64_t part = 0) {
    found = Key{static_cast<std::uint32_t>(record.header.type), serial, id, part};
  }

  void operator()(const wire::StringRecord& r, std::string_view) { shared(r, r.hash); }
  void operator()(const wire::FunctionRecord& r) { shared(r, r.header.aux); }
  void operator()(const wire::PythonCodeRecord& r, std::span<const std::byte>) { shared(r, r.key); }
  void operator()(const wire::ChainRecord& r, std::span<const std::byte>) { shared(r, r.chain); }
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
  // The last moment at which both clocks were read.
  void operator()(const wire::NvtxTimeSyncRecord& r) { own(r, r.source, r.target); }
  void operator()(const wire::NvtxCounterRecord& r) { own(r, r.id, r.header.aux); }
  void operator()(const wire::NvtxSyncRecord& r) {
    if (r.header.flags == static_cast<std::uint8_t>(wire::NvtxSync::kCreated)) own(r, r.object);
  }
  void operator()(const wire::CudaDeviceRecord& r) { own(r, r.header.aux); }
  void operator()(const wire::CudaContextRecord& r) { own(r, r.header.aux); }
  void operator()(const wire::CudaStreamRecord& r) { own(r, pair_of(r.context, r.header.aux)); }
  void operator()(const wire::CudaNameRecord& r) {
    own(r, pair_of(r.context, r.header.aux), r.header.flags);
  }
  void operator()(const wire::CudaGraphEventRecord& r) { own(r, r.id, r.header.aux); }
};

}  // namespace

std::size_t Definitions::Hash::operator()(const Key& key) const {
  const std::uint64_t words[] = {pair_of(key.type, key.serial), key.id, key.part};
  return wire::hash_text(reinterpret_cast<const char*>(words), sizeof words);
}

// A later definition of the same thing replaces the earlier one, as in the report.
void Definitions::take(const PieceHeader& piece, std::span<const std::byte> bytes) {
  while (const std::size_t size = record_size(bytes)) {
    const auto record = bytes.first(size);
    Finder finder{piece.serial, piece.tid};
    if (decode(record, finder).corrupt_bytes == 0 && finder.found) {
      Definition& definition = definitions_[finder.found->serial][*finder.found];
      definition.serial = piece.serial;
      definition.tid = piece.tid;
      definition.bytes.assign(record.begin(), record.end());
    }
    bytes = bytes.subspan(size);
  }
}

void Definitions::forget(std::uint32_t serial) {
  if (serial != 0) definitions_.erase(serial);
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
