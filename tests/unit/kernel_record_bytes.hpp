// The kernel's records of a CPU, as the spool has them.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "collector/spool/kernel_records.hpp"

namespace prof::test {

class KernelRecordBytes {
 public:
  using Type = spool::KernelRecordType;

  KernelRecordBytes& add(Type type, std::uint64_t time, std::uint32_t pid, std::uint32_t tid,
                         std::uint32_t value = 0, std::uint8_t flags = 0) {
    return append(spool::KernelRecord{time, pid, tid, value, type, flags, 0});
  }
  KernelRecordBytes& name(std::uint64_t time, std::uint32_t pid, std::uint32_t tid,
                          const std::string& text, std::uint8_t flags = 0) {
    add(Type::kName, time, pid, tid, 0, flags);
    spool::KernelThreadName name{};
    std::memcpy(name.text, text.data(), std::min(text.size(), sizeof name.text));
    return append(name);
  }
  // `fields`: the kernel's record of the tracepoint with this number.
  KernelRecordBytes& tracepoint(std::uint64_t time, std::uint32_t pid, std::uint32_t tid,
                                std::uint32_t number, const std::string& fields) {
    append(spool::KernelRecord{time, pid, tid, number, Type::kTracepoint, 0,
                               static_cast<std::uint16_t>(fields.size())});
    std::string padded = fields;
    padded.resize(spool::padded_length(fields.size()));
    for (const char each : padded) bytes_.push_back(static_cast<std::byte>(each));
    return *this;
  }
  // Both ends of a call.
  KernelRecordBytes& call(std::uint64_t start, std::uint64_t end, std::uint32_t pid,
                          std::uint32_t tid, std::uint32_t number) {
    return add(Type::kEnter, start, pid, tid, number).add(Type::kExit, end, pid, tid, number);
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  template <class T>
  KernelRecordBytes& append(const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  std::vector<std::byte> bytes_;
};

}  // namespace prof::test
