// The tensors in the code that PyTorch's Inductor writes: their types and sizes by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "collector/ingest/compiled/python_text.hpp"

namespace prof::ingest {

struct Tensor {
  std::string type;            // "float32"; empty: unknown
  std::optional<Sizes> sizes;  // nothing: unknown, or not the same in each run
};

// Returns PyTorch's name of a type by "torch.float32", "f32" (in comments) or "*fp32" (of Triton).
// Returns an empty text for anything else.
std::string_view type_named(std::string_view name);
// Returns the bytes of an element of a type by PyTorch's name, or 0 if it is unknown.
std::int64_t bytes_of_type(std::string_view type);
// Returns "[8, 512]", or "?" without sizes.
std::string text_of(const std::optional<Sizes>& sizes);
// Returns the number of elements, or nothing if it is unknown or too large.
std::optional<std::int64_t> elements_of(const Tensor& tensor);

class Tensors {
 public:
  // Reads a statement that makes, checks or renames a tensor. Others are ignored.
  void read(std::string_view statement);

  // Returns the tensor of an expression: "buf0", or "reinterpret_tensor(buf0, (8, 1), (1, 1), 0)".
  Tensor of(std::string_view expression) const;

 private:
  void add(std::string_view name, std::string_view type, const std::optional<Sizes>& sizes);
  void read_group(const PythonCall& call);

  std::map<std::string, Tensor, std::less<>> tensors_;
};

}  // namespace prof::ingest
