// A stack copy: `bytes` of a thread's stack, from the stack pointer upwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace prof::unwind {

class StackSlice {
 public:
  StackSlice(std::uint64_t base, std::span<const std::byte> bytes) : base_(base), bytes_(bytes) {}

  // Reads 8 bytes. Returns false outside of the slice.
  bool read(std::uint64_t address, std::uint64_t& value) const {
    const std::uint64_t offset = address - base_;
    if (bytes_.size() < sizeof value || offset > bytes_.size() - sizeof value) return false;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return true;
  }

  bool holds(std::uint64_t address) const { return address - base_ < bytes_.size(); }
  std::uint64_t base() const { return base_; }
  // True if the address is above the copy, so that a longer copy would contain it.
  bool is_beyond(std::uint64_t address) const {
    return address >= base_ && (bytes_.size() < 8 || address - base_ > bytes_.size() - 8);
  }

 private:
  std::uint64_t base_;
  std::span<const std::byte> bytes_;
};

}  // namespace prof::unwind
