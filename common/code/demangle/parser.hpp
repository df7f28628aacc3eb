// A recursive descent parser for the grammar of the Itanium C++ ABI, 5.1 ("Name Mangling"). The
// parser looks at most two characters ahead and never goes back. After an error the input reads as
// empty, so every loop ends.
#pragma once

#include <string_view>
#include <vector>

#include "common/code/demangle/tree.hpp"

namespace prof::demangle {

class Parser {
 public:
  Parser(std::string_view mangled, Tree& tree) : rest_(mangled), tree_(tree) {}
  // Returns kNoNode if the name does not follow the grammar.
  NodeId parse();

 private:
  // Limits the recursion, and so the stack. The names mentioned at Tree::kMaxDepth need at most 40
  // levels.
  static constexpr int kMaxLevels = 256;
  static constexpr std::uint32_t kMaxNumber = 1'000'000'000;

  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.levels_ > kMaxLevels) parser_.fail();
    }
    ~Level() { --parser_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  struct Name {
    NodeId node = kNoNode;
    bool is_template = false;    // ends in template arguments: its encoding has a return type
    bool has_no_return = false;  // constructor, destructor, conversion
    std::uint8_t qualifiers = 0;
  };

  // Names and encodings (name_parser.cpp).
  NodeId encoding();
  NodeId special_name();
  NodeId special(std::string_view text, NodeId object);
  NodeId construction_table();
  NodeId thunk(std::string_view text, int offsets);
  NodeId call_offset();
  Name name();
  Name nested_name();
  bool nested_component(Name& name);
  Name local_name();
  NodeId unqualified_name(NodeId scope, Name& name);
  NodeId constructor_or_destructor(NodeId scope);
  NodeId operator_name(Name& name);
  NodeId lambda_or_unnamed();
  NodeId structured_binding();
  NodeId abi_tagged(NodeId tagged);
  NodeId source_name();
  NodeId scoped(NodeId scope, NodeId inner);
  std::uint32_t discriminator();
  std::vector<NodeId> parameters();
  NodeId templated(NodeId name);
  NodeId template_argument();
  void template_parameter_declarations();

  // Types (type_parser.cpp).
  NodeId type();
  NodeId compound_type();
  NodeId pointer(std::string_view text);
  NodeId qualified_type();
  NodeId function_type(std::uint8_t qualifiers);
  NodeId array_type();
  NodeId member_pointer();
  NodeId exception_specification();
  NodeId vendor_type();
  NodeId vendor_qualified_type();
  NodeId vector_type();
  NodeId decltype_type();
  NodeId float_type();
  NodeId bit_int_type();
  NodeId template_param();
  NodeId template_param_type();
  NodeId substitution();
  NodeId substitution_type();
  std::uint8_t cv_qualifiers();
  bool at_function_type() const;
  bool at_parameters_end() const;

  // Expressions (expression_parser.cpp).
  NodeId expression();
  NodeId special_expression();
  NodeId operator_expression();
  NodeId primary();
  NodeId function_param();
  NodeId fold();
  NodeId unresolved_name();
  NodeId unresolved_type();
  NodeId base_unresolved_name();
  NodeId simple_id();
  NodeId cast_expression();
  NodeId member_expression(std::string_view access);
  NodeId new_expression(std::string_view text);
  NodeId braced_expression();
  std::vector<NodeId> expressions();
  std::vector<NodeId> braced_expressions();
  std::vector<NodeId> template_arguments();

  // Input and tree.
  char peek(std::size_t ahead = 0) const { return ahead < rest_.size() ? rest_[ahead] : '\0'; }
  bool at(std::string_view text) const { return rest_.starts_with(text); }
  bool at_digit() const { return peek() >= '0' && peek() <= '9'; }
  bool at_end() const { return rest_.empty() || peek() == 'E' || peek() == '.'; }
  bool take(std::string_view text);
  void expect(std::string_view text);
  std::string_view advance(std::size_t count);
  std::string_view digits();
  std::string_view signed_digits();
  std::uint32_t number();
  std::uint32_t index();
  std::uint32_t sequence_index();
  NodeId fail();
  NodeId add(Node node, std::span<const NodeId> list = {});
  NodeId text(std::string_view value) { return add({.text = value}); }
  NodeId remember(NodeId node, bool is_prefix);

  std::string_view rest_;
  Tree& tree_;
  std::vector<NodeId> substitutions_;
  int levels_ = 0;
  bool failed_ = false;
};

}  // namespace prof::demangle
