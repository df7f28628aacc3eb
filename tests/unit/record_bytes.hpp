// Builds runs of wire records, as a target would write them.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "common/wire/hash.hpp"
#include "common/wire/records.hpp"

namespace prof::test {

template <class Record>
wire::RecordHeader header(wire::RecordType type, std::uint32_t aux = 0, std::uint8_t flags = 0) {
  return {static_cast<std::uint16_t>(sizeof(Record)), type, flags, aux};
}

class RecordBytes {
 public:
  template <class Record>
  RecordBytes& add(const Record& record) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&record);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof record);
    return *this;
  }

  // Returns the text's hash.
  std::uint64_t text(std::string_view text) {
    const std::uint64_t hash = wire::hash_text(text.data(), text.size());
    const auto length = static_cast<std::uint32_t>(text.size());
    const auto size = static_cast<std::uint16_t>(sizeof(wire::StringRecord) + wire::padded(length));
    add(wire::StringRecord{{size, wire::RecordType::kString, 0, length}, hash});
    std::vector<std::byte> padded(wire::padded(length));
    std::copy_n(reinterpret_cast<const std::byte*>(text.data()), text.size(), padded.begin());
    bytes_.insert(bytes_.end(), padded.begin(), padded.end());
    return hash;
  }

  RecordBytes& push(std::uint64_t time, std::uint64_t text, std::uint32_t domain = 0) {
    return add(wire::NvtxPushRecord{
        header<wire::NvtxPushRecord>(wire::RecordType::kNvtxPush, domain, wire::kNvtxHasText), time,
        text});
  }
  RecordBytes& pop(std::uint64_t time, std::uint32_t domain = 0) {
    return add(
        wire::NvtxPopRecord{header<wire::NvtxPopRecord>(wire::RecordType::kNvtxPop, domain), time});
  }
  RecordBytes& call(std::uint32_t function, std::uint64_t start, std::uint64_t end,
                    std::int64_t result = 0) {
    return add(wire::CallRecord{header<wire::CallRecord>(wire::RecordType::kCall, function), start,
                                end, result});
  }
  RecordBytes& function(std::uint32_t id, std::uint64_t name) {
    return add(
        wire::FunctionRecord{header<wire::FunctionRecord>(wire::RecordType::kFunction, id), name});
  }

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace prof::test
