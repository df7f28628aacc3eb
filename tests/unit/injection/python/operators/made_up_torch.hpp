// Objects of PyTorch, made up in memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "injection/python/operators/torch_abi.hpp"

namespace prof::test {

using python::TorchLayout;
using python::Value;

inline constexpr std::uint64_t kDense = 0x1234;
// The offsets are in bytes.
inline constexpr TorchLayout kMadeUp{.inputs = 88,
                                     .sequence = 80,
                                     .forward_thread = 160,
                                     .list = 16,
                                     .sizes = 40,
                                     .type = 24,
                                     .dense = kDense,
                                     .tensor_tag = 1,
                                     .integer_tag = 5,
                                     .number_tag = 3,
                                     .flag_tag = 10,
                                     .list_tag = 14,
                                     .none_tag = 0};

inline std::uint64_t address_of(const void* object) {
  return reinterpret_cast<std::uintptr_t>(object);
}

// c10::TensorImpl
class MadeUpTensor {
 public:
  MadeUpTensor(std::uint16_t type, std::vector<std::int64_t> sizes,
               std::vector<std::int64_t> strides)
      : words_(24), outside_(sizes) {
    words_[0] = kDense;
    words_[3] = type;
    words_[5] = sizes.size();
    outside_.insert(outside_.end(), strides.begin(), strides.end());
    if (sizes.size() > python::kInlineDimensions) {
      words_[6] = address_of(outside_.data());
      return;
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      words_[6 + i] = static_cast<std::uint64_t>(sizes[i]);
      words_[6 + python::kInlineDimensions + i] = static_cast<std::uint64_t>(strides[i]);
    }
  }
  MadeUpTensor(const MadeUpTensor&) = delete;
  MadeUpTensor& operator=(const MadeUpTensor&) = delete;

  void make_special() { words_[0] = kDense + 1; }
  Value value() const { return {address_of(words_.data()), kMadeUp.tensor_tag, 0}; }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::int64_t> outside_;
};

// c10::detail::ListImpl
class MadeUpList {
 public:
  MadeUpList(std::initializer_list<Value> values)
      : values_(values),
        words_{7,
               7,
               address_of(values_.data()),
               address_of(values_.data() + values_.size()),
               address_of(values_.data() + values_.size()),
               7,
               7,
               7,
               7,
               7} {}
  MadeUpList(const MadeUpList&) = delete;
  MadeUpList& operator=(const MadeUpList&) = delete;

  Value value() const { return {address_of(words_), kMadeUp.list_tag, 0}; }

 private:
  std::vector<Value> values_;
  std::uint64_t words_[10];
};

inline Value integer(std::int64_t number) {
  return {static_cast<std::uint64_t>(number), kMadeUp.integer_tag, 0};
}
inline Value flag(bool is_set) { return {is_set ? 1U : 0U, kMadeUp.flag_tag, 0}; }
inline Value none() { return {0, kMadeUp.none_tag, 0}; }
inline Value number(double number) {
  Value value{0, kMadeUp.number_tag, 0};
  std::memcpy(&value.payload, &number, sizeof number);
  return value;
}

// at::RecordFunction
struct MadeUpFunction {
  MadeUpFunction(const std::vector<Value>& arguments, std::int64_t sequence = -1) {
    for (std::uint64_t& word : words) word = 7;
    words[kMadeUp.sequence / 8] = static_cast<std::uint64_t>(sequence);
    words[kMadeUp.inputs / 8] = address_of(arguments.data());
    words[kMadeUp.inputs / 8 + 1] = arguments.size();
    words[kMadeUp.forward_thread / 8] = 0;
  }
  std::uint64_t words[80];
};

}  // namespace prof::test
