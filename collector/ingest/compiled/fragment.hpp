// The comments of PyTorch's Inductor above a kernel: which operators it is, and the part of the
// graph that it computes. The texts of the lines must outlive the objects.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "collector/ingest/compiled/tensors.hpp"

namespace prof::ingest {

// The text of an operator is like the name of a range of --pytorch=operators:
// "aten::add, sizes = [[8, 512], []], arguments = [float32, 1] -> float32 [8, 512]". A tensor
// without known sizes is "?".
class OperatorText {
 public:
  explicit OperatorText(std::string_view name) : name_(name) {}

  void add_tensor(const Tensor& tensor);
  // Anything that is not a tensor. Texts that could be confused with the rest become "?".
  void add_value(std::string_view value);
  std::string text(const Tensor& result) const;

 private:
  std::string name_;
  std::vector<std::string> sizes_;
  std::vector<std::string> arguments_;
};

// Returns "aten::add" for "torch.ops.aten.add.Tensor", or an empty text for anything else.
std::string operator_named(std::string_view target);

// Returns "aten::add + aten::relu" for a line that ends with
// "Original ATen: [aten.add, aten.relu]". Returns an empty text for other lines, and without names.
std::string operators_of_comment(std::string_view line);

class Fragment {
 public:
  // Takes a line of the comments, without "#".
  void read(std::string_view line);

  const std::string& operators() const { return operators_; }  // "aten::add + aten::relu", or empty
  // One line for each operator of the graph, in order. Empty: there is no graph, or it is too long.
  // Inputs of the whole graph have the same names in the code.
  std::string graph(const Tensors& of_code) const;

 private:
  struct Node {
    std::string_view name;
    std::string_view target;
    std::string_view arguments;
  };
  void read_node(std::string_view line);
  Tensor tensor_of(std::string_view name, const Tensors& of_code) const;

  std::string operators_;
  bool is_in_graph_ = false;
  // The texts are parts of the lines.
  std::vector<Node> nodes_;
  std::map<std::string_view, Tensor> tensors_;  // by name of the node
};

}  // namespace prof::ingest
