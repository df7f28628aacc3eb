// Records that the collector makes, in the format in which processes write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/wire/hash.hpp"
#include "common/wire/records.hpp"

namespace prof::spool {

class RecordBuffer {
 public:
  // Sets the size and type of the header. The caller sets aux and flags.
  template <class Record>
  void add(wire::RecordType type, Record record, std::span<const std::byte> tail = {}) {
    const std::size_t tail_bytes = wire::padded(static_cast<std::uint32_t>(tail.size()));
    record.header.size = static_cast<std::uint16_t>(sizeof record + tail_bytes);
    record.header.type = type;
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof record + tail_bytes);
    std::memcpy(bytes_.data() + at, &record, sizeof record);
    if (!tail.empty()) std::memcpy(bytes_.data() + at + sizeof record, tail.data(), tail.size());
  }

  // Returns the hash of a text. The first time, also adds the text.
  std::uint64_t text(std::string_view text) {
    text = text.substr(0, wire::kMaxStringBytes);
    const std::uint64_t hash = wire::hash_text(text.data(), text.size());
    if (!texts_.insert(hash).second) return hash;
    wire::StringRecord record{};
    record.header.aux = static_cast<std::uint32_t>(text.size());
    record.hash = hash;
    add(wire::RecordType::kString, record, std::as_bytes(std::span(text)));
    return hash;
  }

  bool empty() const { return bytes_.empty(); }
  std::vector<std::byte> take() { return std::exchange(bytes_, {}); }

 private:
  std::vector<std::byte> bytes_;
  std::unordered_set<std::uint64_t> texts_;
};

}  // namespace prof::spool
