// Finds out where this PyTorch has the arguments of an operator. operators.py runs known operators
// on known tensors, and a callback on that thread looks for them in memory. What is found in more
// than one place, or nowhere, counts as not found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/python/operators/torch_abi.hpp"

namespace prof::python {

// The operators that the test runs. `first` and `second` are the addresses of tensors.
enum class KnownCall : std::uint8_t {
  kNone,
  kSum,         // add(first, second, alpha=3) without a gradient
  kBounds,      // clamp(first, 0.5, None) without a gradient
  kList,        // cat((first, second), 0) without a gradient
  kFlag,        // sum(first, [0], True) without a gradient
  kGradient,    // add(first, second, alpha=3) with a gradient
  kGradientOn,  // the same after one more operator with a gradient
};
inline constexpr auto kLastKnownCall = KnownCall::kGradientOn;

class LayoutFinder {
 public:
  // The next operator on this thread is this one.
  void expect(KnownCall call, std::uint64_t first, std::uint64_t second) {
    expected_ = call;
    first_ = first;
    second_ = second;
  }
  // Looks at an operator. Called at its begin.
  void see(const void* function);
  // Fills in what it found about record functions, lists and tags. Returns false if something was
  // not found.
  bool finish(TorchLayout& layout) const;

 private:
  static constexpr std::size_t kWords = 80;  // of a record function that are searched
  static constexpr std::size_t kListWords = 8;

  // The places that can still be the one.
  struct Places {
    bool is_possible[kWords];
    bool find_only(std::size_t& place) const;
  };
  const Value* arguments(std::size_t count, const std::uint64_t* words, std::size_t place) const;
  bool fits(const Value* arguments);
  bool finds_list(std::uint64_t list, std::size_t bytes, const Value** elements);
  void see_sequence(const std::uint64_t* words);
  void see_number(const std::uint64_t* words);

  KnownCall expected_ = KnownCall::kNone;
  std::uint64_t first_ = 0;
  std::uint64_t second_ = 0;
  unsigned seen_ = 0;  // bits of KnownCall
  bool is_wrong_ = false;
  std::uint64_t before_[kWords] = {};    // words of the last call
  std::uint64_t gradient_[kWords] = {};  // of kGradient
  Places inputs_ = {};
  Places sequence_ = {};
  Places number_ = {};  // of the record function
  bool list_places_[kListWords] = {};
  TorchLayout found_ = {};
};

}  // namespace prof::python
