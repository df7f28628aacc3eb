// Content hashes of texts that were sent, in buckets of one cache line. A full bucket overwrites an
// entry; its text is then only sent again. A fork child keeps its parent's table, because the
// collector has one dictionary for the whole session.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::core {

template <std::size_t kBuckets>
class SentHashes {
 public:
  // Acquire pairs with the release in add(): a thread that finds the hash may use it without
  // sending the content.
  bool contains(std::uint64_t hash) const {
    for (const auto& known : buckets_[hash % kBuckets].hash)
      if (known.load(std::memory_order_acquire) == hash) return true;
    return false;
  }

  // A cheap contains() for hot paths. It compares one entry only, so false can be wrong.
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
