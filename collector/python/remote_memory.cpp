#include "collector/python/remote_memory.hpp"

#include <errno.h>
#include <sys/uio.h>

#include <algorithm>
#include <utility>

namespace prof::python {

bool RemoteMemory::copy(std::uint64_t address, std::span<std::byte> into) {
  const iovec here{into.data(), into.size()};
  const iovec there{reinterpret_cast<void*>(address), into.size()};
  const ssize_t copied = process_vm_readv(pid_, &here, 1, &there, 1, 0);
  if (copied < 0) error_ = errno;
  return copied == static_cast<ssize_t>(into.size());
}

bool RemoteMemory::read_at_once(std::span<const Piece> pieces) {
  std::vector<iovec> here;
  std::vector<iovec> there;
  std::size_t bytes = 0;
  for (const Piece& piece : pieces) {
    here.push_back({piece.into.data(), piece.into.size()});
    there.push_back({reinterpret_cast<void*>(piece.address), piece.into.size()});
    bytes += piece.into.size();
  }
  const ssize_t copied =
      process_vm_readv(pid_, here.data(), here.size(), there.data(), there.size(), 0);
  if (copied < 0) error_ = errno;
  return copied == static_cast<ssize_t>(bytes);
}

void RemoteMemory::prefetch(Places& places) {
  constexpr std::size_t kMaxBlocks = 256;
  const Places wanted = std::exchange(places, {});
  noted_ = &places;
  std::vector<iovec> here;
  std::vector<iovec> there;
  std::vector<std::uint64_t> numbers;
  for (const std::uint64_t number : wanted) {
    if (numbers.size() == kMaxBlocks) break;
    const auto [at, is_new] = blocks_.try_emplace(number);
    if (!is_new) continue;
    at->second.readable = true;
    at->second.noted = nullptr;
    numbers.push_back(number);
    here.push_back({at->second.bytes, kBlockBytes});
    there.push_back({reinterpret_cast<void*>(number * kBlockBytes), kBlockBytes});
  }
  if (numbers.empty()) return;
  const ssize_t copied =
      process_vm_readv(pid_, here.data(), here.size(), there.data(), there.size(), 0);
  // The kernel stops at a block that it cannot read. That block and the next ones are read later,
  // on demand.
  const std::size_t whole = copied > 0 ? static_cast<std::size_t>(copied) / kBlockBytes : 0;
  for (std::size_t i = whole; i < numbers.size(); ++i) blocks_.erase(numbers[i]);
}

bool RemoteMemory::read_bytes(std::uint64_t address, std::span<std::byte> into) {
  if (address >= window_at_ && address + into.size() <= window_at_ + window_.size()) {
    std::memcpy(into.data(), window_.data() + (address - window_at_), into.size());
    return true;
  }
  while (!into.empty()) {
    const std::uint64_t number = address / kBlockBytes;
    const std::size_t offset = address % kBlockBytes;
    const std::size_t bytes = std::min(into.size(), kBlockBytes - offset);
    const auto [at, is_new] = blocks_.try_emplace(number);
    Block& block = at->second;
    if (is_new) {
      block.readable = copy(number * kBlockBytes, block.bytes);
      block.noted = nullptr;
    }
    if (noted_ != nullptr && block.noted != noted_) {
      block.noted = noted_;
      noted_->push_back(number);
    }
    if (!block.readable) return false;
    std::memcpy(into.data(), block.bytes + offset, bytes);
    into = into.subspan(bytes);
    address += bytes;
  }
  return true;
}

}  // namespace prof::python
