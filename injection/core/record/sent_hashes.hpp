// Content hashes of what has been published, in buckets of one cache line. A lost entry only means
// that the thing is sent again, so a full bucket simply overwrites, and a fork child may go on with
// its parent's table: the collector keeps one dictionary for the whole session.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::core {

template <std::size_t kBuckets>
class SentHashes {
 public:
  // Acquire pairs with the release that publishes: whoever sees the hash may use it without what it
  // stands for.
  bool contains(std::uint64_t hash) const {
    for (const auto& known : buckets_[hash % kBuckets].hash)
      if (known.load(std::memory_order_acquire) == hash) return true;
    return false;
  }

  // contains() for hot paths, which looks at one place only and may not find it.
  bool is_first(std::uint64_t hash) const {
    return buckets_[hash % kBuckets].hash[0].load(std::memory_order_acquire) == hash;
  }

  void clear() {
    for (Bucket& bucket : buckets_)
      for (auto& known : bucket.hash) known.store(0, std::memory_order_relaxed);
  }

  void add(std::uint64_t hash) {
    Bucket& bucket = buckets_[hash % kBuckets];
    for (auto& known : bucket.hash) {
      std::uint64_t empty = 0;
      if (known.compare_exchange_strong(empty, hash, std::memory_order_release)) return;
    }
    bucket.hash[(hash >> 32) % kWays].store(hash, std::memory_order_release);
  }

 private:
  static constexpr std::size_t kWays = 8;
  struct alignas(64) Bucket {
    std::atomic<std::uint64_t> hash[kWays];
  };
  Bucket buckets_[kBuckets];
};

}  // namespace prof::core
