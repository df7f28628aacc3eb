// A list that grows without moving its elements. At most an eighth of its memory is unused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace prof::timeline {

template <class T>
class ChunkList {
 public:
  void push_back(const T& value) {
    if (chunks_.empty() || chunks_.back().size() == chunks_.back().capacity()) grow();
    chunks_.back().push_back(value);
    ++size_;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& front() const { return chunks_.front().front(); }
  const T& back() const { return chunks_.back().back(); }

  // Appends the elements of another list.
  void append(ChunkList&& other) {
    size_ += other.size_;
    std::move(other.chunks_.begin(), other.chunks_.end(), std::back_inserter(chunks_));
    other = {};
  }

  // Visits all elements and clears the list.
  template <class Visit>
  void consume(Visit visit) {
    for (auto& chunk : chunks_) {
      for (const T& value : chunk) visit(value);
      std::vector<T>().swap(chunk);
    }
    *this = {};
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& chunk : chunks_)
      for (const T& value : chunk) visit(value);
  }

  // Returns all elements in one vector and clears the list.
  std::vector<T> take() {
    std::vector<T> all;
    all.reserve(size_);
    consume([&](const T& value) { all.push_back(value); });
    return all;
  }

 private:
  // Maximum size of a chunk. It is so small that malloc keeps the memory for the next list.
  static constexpr std::size_t kLargestBytes = 64 << 10;

  void grow() {
    chunks_.emplace_back();
    chunks_.back().reserve(std::clamp<std::size_t>(size_ / 8, 4, kLargestBytes / sizeof(T)));
  }

  std::vector<std::vector<T>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace prof::timeline
