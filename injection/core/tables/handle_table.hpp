// A table of what prof knows of objects of a library, by their handles. It takes no lock and no
// memory of the heap.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::core {

template <class Entry, std::size_t count>
class HandleTable {
  static_assert((count & (count - 1)) == 0);

 public:
  // Returns null if the key is not known.
  [[gnu::always_inline]] Entry* find(const void* key) {
    for (std::size_t i = 0; i < kMostPlaces; ++i) {
      const std::size_t place = (first_of(key) + i) % count;
      // Pairs with publish(): the entry is complete.
      const void* other = keys_[place].load(std::memory_order_acquire);
      if (other == key) return &entries_[place];
      if (other == nullptr) return nullptr;
    }
    return nullptr;
  }

  // Returns a place for the key, which find() does not see before publish(). Returns null if none
  // of those where find() looks is free.
  Entry* reserve(const void* key) {
    for (std::size_t i = 0; i < kMostPlaces; ++i) {
      const std::size_t place = (first_of(key) + i) % count;
      const void* other = keys_[place].load(std::memory_order_relaxed);
      if ((other == nullptr || other == kRemoved) &&
          keys_[place].compare_exchange_strong(other, kReserved, std::memory_order_acquire,
                                               std::memory_order_relaxed))
        return &entries_[place];
    }
    return nullptr;
  }
  void publish(const Entry* entry, const void* key) {
    keys_[entry - entries_].store(key, std::memory_order_release);
  }
  void remove(const Entry* entry) {
    keys_[entry - entries_].store(kRemoved, std::memory_order_release);
  }
  // Calls `visit(entry)` for each published entry. Another thread may remove one meanwhile.
  template <class Visit>
  void for_each(Visit visit) {
    for (std::size_t i = 0; i < count; ++i) {
      const void* key = keys_[i].load(std::memory_order_acquire);
      if (key != nullptr && key != kRemoved && key != kReserved) visit(entries_[i]);
    }
  }

 private:
  // Removed keys leave places that end no search, so the number of places that a search looks at
  // has a limit.
  static constexpr std::size_t kMostPlaces = count < 64 ? count : 64;
  // Addresses that no object has.
  static inline const void* const kRemoved = reinterpret_cast<const void*>(1);
  static inline const void* const kReserved = reinterpret_cast<const void*>(2);

  static std::size_t first_of(const void* key) {
    const auto word = reinterpret_cast<std::uintptr_t>(key);
    return (word >> 4 ^ word >> 12) % count;
  }

  std::atomic<const void*> keys_[count]{};
  Entry entries_[count]{};
};

}  // namespace prof::core
