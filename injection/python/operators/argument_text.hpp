// The arguments of an operator, as a key for look-ups and as text:
// "aten::mm, sizes = [[2, 3], [3, 4]], arguments = [float32, float32 [1, 3]]".
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/python/operators/torch_abi.hpp"

namespace prof::python {

inline constexpr std::size_t kMaxTypes = 64;
inline constexpr std::size_t kTypeNameBytes = 24;

struct TorchTypes {
  char names[kMaxTypes][kTypeNameBytes];  // by PyTorch's number; empty: unknown
};

class ArgumentText {
 public:
  // The references and the name outlive the object. Without values, numbers that are arguments are
  // left out.
  ArgumentText(const TorchLayout& layout, const TorchTypes& types, const void* function,
               const char* name, bool has_values)
      : layout_(layout),
        types_(types),
        arguments_(reinterpret_cast<const Value*>(word_at(function, layout.inputs))),
        count_(word_at(function, layout.inputs + 8)),
        name_(name),
        has_values_(has_values) {}

  // Returns a hash of all that the text says.
  std::uint64_t key() const;
  // Writes the text and returns its length. Returns 0 if it does not fit.
  std::size_t write(char* out, std::size_t room) const;
  // Returns the string hash of the text, which the collector knows then. A text that is too long
  // is only the name.
  struct Interned {
    std::uint64_t text;
    bool is_new;
  };
  Interned intern() const;

 private:
  const TorchLayout& layout_;
  const TorchTypes& types_;
  const Value* arguments_;
  std::size_t count_;
  const char* name_;
  bool has_values_;
};

}  // namespace prof::python
