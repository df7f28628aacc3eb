// The body of a record of perf's, value by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace prof::test {

class RecordBody {
 public:
  template <class T>
  RecordBody& add(T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  // pid, tid, time
  RecordBody& ids() {
    return add(std::uint32_t{10}).add(std::uint32_t{11}).add(std::uint64_t{1000});
  }
  RecordBody& text(const std::string& text) {
    for (const char c : text) add(c);
    return *this;
  }
  // A tracepoint's record with a number in it.
  RecordBody& raw(std::uint16_t tracepoint, std::int64_t number, std::uint32_t length = 20) {
    add(length).add(tracepoint).add(std::uint16_t{0}).add(std::uint32_t{11});
    return add(number).add(std::uint32_t{0});
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace prof::test
