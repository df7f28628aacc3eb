#include "collector/sampler/outer_stack.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cstring>

namespace prof::sampler {

namespace {

constexpr std::size_t kOverlap = 512;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kPages = 64;       // 256 KiB: several thousand frames
constexpr std::size_t kMaxThreads = 64;  // whose stacks are kept

}  // namespace

std::span<const std::byte> OuterStack::complete(pid_t pid, pid_t tid, std::uint64_t base,
                                                std::span<const std::byte> copied) {
  if (copied.size() < kOverlap) return {};
  const std::uint64_t border = base + copied.size() - kOverlap;
  const auto overlap = copied.last(kOverlap);
  Region& region = region_of(tid);
  if (!agrees(region, border, overlap)) read(pid, border, region);
  if (!agrees(region, border, overlap)) return {};
  const auto outer = std::span(region.bytes).subspan(border - region.base);
  joined_.assign(copied.begin(), copied.end() - kOverlap);
  joined_.insert(joined_.end(), outer.begin(), outer.end());
  return joined_;
}

bool OuterStack::agrees(const Region& region, std::uint64_t address,
                        std::span<const std::byte> bytes) {
  // The region must also contain some bytes above the address.
  const std::uint64_t offset = address - region.base;
  return offset < region.bytes.size() && region.bytes.size() - offset > bytes.size() &&
         std::memcmp(region.bytes.data() + offset, bytes.data(), bytes.size()) == 0;
}

// Reads up to the end of the stack. A page that is not mapped ends it.
void OuterStack::read(pid_t pid, std::uint64_t address, Region& region) {
  region.base = address;
  region.bytes.resize(kPages * kPage);
  iovec pages[kPages];
  std::uint64_t at = address;
  for (iovec& page : pages) {
    const std::size_t length = kPage - at % kPage;
    page = {reinterpret_cast<void*>(at), length};
    at += length;
  }
  const iovec here{region.bytes.data(), region.bytes.size()};
  const ssize_t bytes = process_vm_readv(pid, &here, 1, pages, kPages, 0);
  region.bytes.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
}

OuterStack::Region& OuterStack::region_of(pid_t tid) {
  const auto known = by_thread_.find(tid);
  if (known != by_thread_.end()) {
    regions_.splice(regions_.begin(), regions_, known->second);
    return regions_.front();
  }
  if (regions_.size() >= kMaxThreads) {
    by_thread_.erase(regions_.back().tid);
    regions_.pop_back();
  }
  regions_.push_front({tid, 0, {}});
  by_thread_[tid] = regions_.begin();
  return regions_.front();
}

}  // namespace prof::sampler
