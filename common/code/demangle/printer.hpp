// Writes a tree as NVIDIA's demangler does, including its spaces and omissions. The rules were
// derived from nsys reports and from the output of `nvlink --dump-callgraph` (CUDA 13.0).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/code/demangle/tree.hpp"

namespace prof::demangle {

class Printer {
 public:
  explicit Printer(const Tree& tree) : tree_(tree) {}
  // Both return nothing if the text would exceed kMaxOutput.
  std::optional<std::string> print_symbol(NodeId root) &&;
  std::optional<std::string> print_brief(NodeId root) &&;

 private:
  // A name with n substitutions may stand for a text of 2^n characters, so the size of the text is
  // limited. The number of steps is limited, too, because some nodes are visited without being
  // written, such as an array's qualifiers.
  static constexpr std::size_t kMaxOutput = std::size_t{1} << 20;
  static constexpr std::size_t kMaxSteps = 4 * kMaxOutput;

  // Prints everything but types with a declarator (printer.cpp).
  void print(NodeId id);
  bool print_name(const Node& node);
  bool print_local_name(const Node& node);
  bool print_encoding(const Node& node);
  void print_function(const Node& node);
  void print_variant(NodeId function_name);
  void print_thunk(const Node& node);
  void print_instance(std::uint32_t number);

  // Print types (type_printer.cpp). A C++ type surrounds the name that it declares, so it has a
  // first and a second part.
  bool print_type(const Node& node);
  void first(NodeId id, bool spaced, bool wrapped);
  void first_of_qualified(const Node& node, bool spaced, bool wrapped);
  void second(NodeId id, bool wrapped);
  void second_of_function(const Node& node, bool wrapped);
  bool has_declarator(NodeId id) const;
  bool is_wrapping(NodeId id) const;
  void print_vector(const Node& node);
  void print_cv_before(std::uint8_t qualifiers);
  void print_qualifiers_after(std::uint8_t qualifiers);

  // Expressions (expression_printer.cpp).
  bool print_expression(const Node& node);
  bool print_operation(const Node& node);
  bool print_braces_and_folds(const Node& node);
  void print_entity(NodeId encoding);
  void print_literal(const Node& node);
  void print_new(const Node& node);

  // Writes the arguments one after another: nodes are printed, texts are written unchanged.
  template <class... Parts>
  void write(const Parts&... parts) {
    (write_one(parts), ...);
  }
  void write_one(std::string_view text);
  void write_one(const char* text) { write_one(std::string_view(text)); }
  void write_one(NodeId id) { print(id); }
  void write_list(std::span<const NodeId> list, std::string_view separator = ", ");
  std::span<const NodeId> list(const Node& node) const { return tree_.list(node); }
  std::optional<std::string> result();
  bool step();  // false once a limit is exceeded

  const Tree& tree_;
  std::string out_;
  std::size_t steps_ = 0;
  bool overflow_ = false;
};

}  // namespace prof::demangle
