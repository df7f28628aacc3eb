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
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace prof::test
