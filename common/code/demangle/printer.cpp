// Prints symbols and names.
#include "common/code/demangle/printer.hpp"

namespace prof::demangle {

std::optional<std::string> Printer::print_symbol(NodeId root) && {
  print(root);
  return result();
}

std::optional<std::string> Printer::print_brief(NodeId root) && {
  const NodeId bare = bare_name(tree_, root);
  print(tree_[bare].kind == Kind::kAbiTagged ? tree_[bare].a : bare);
  return result();
}

std::optional<std::string> Printer::result() {
  if (overflow_) return std::nullopt;
  return std::move(out_);
}

bool Printer::step() {
  if (++steps_ > kMaxSteps) overflow_ = true;
  return !overflow_;
}

void Printer::write_one(std::string_view text) {
  if (text.size() > kMaxOutput - out_.size()) overflow_ = true;
  if (!overflow_) out_ += text;
}

void Printer::write_list(std::span<const NodeId> list, std::string_view separator) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) write(separator);
    print(list[i]);
  }
}

void Printer::print(NodeId id) {
  if (!step()) return;
  const Node& node = tree_[id];
  if (has_declarator(id)) {
    first(id, false, false);
    second(id, false);
    return;
  }
  static_cast<void>(print_name(node) || print_encoding(node) || print_type(node) ||
                    print_expression(node));
}

bool Printer::print_name(const Node& node) {
  switch (node.kind) {
    case Kind::kText:
    case Kind::kAbbreviation:
      write(node.text);
      return true;
    case Kind::kScoped:
      write(node.a, "::", node.b);
      return true;
    case Kind::kTemplated:
      write(node.a, "<");
      write_list(list(node));
      write(">");
      return true;
    case Kind::kPack:
      write_list(list(node));
      return true;
    case Kind::kAbiTagged:
      write(node.a, "[abi:");
      write_list(list(node), ",");
      write("]");
      return true;
    case Kind::kConstructor:
      write(node.a);
      return true;
    case Kind::kDestructor:
      write("~", node.a);
      return true;
    case Kind::kConversion:
      write("operator ", node.a);
      return true;
    case Kind::kOperator:
      write("operator ", node.text, node.a);
      return true;
    default:
      return print_local_name(node);
  }
}

// Prints names that exist only within a function or a class.
bool Printer::print_local_name(const Node& node) {
  switch (node.kind) {
    case Kind::kLambda:
      write("[lambda(");
      write_list(list(node));
      write(")");
      print_instance(node.number);
      write("]");
      return true;
    case Kind::kUnnamedType:
      write("[unnamed type");
      print_instance(node.number);
      write("]");
      return true;
    case Kind::kLocal:
      write(node.a, "::", node.b);
      if (node.number != 0) print_instance(node.number);
      return true;
    case Kind::kDefaultArgument:
      write("[default argument ", std::to_string(node.number), " (from end)]::", node.a);
      return true;
    case Kind::kBinding:
      write("[structured binding for ");
      write_list(list(node), ",");
      write("]");
      return true;
    default:
      return false;
  }
}

void Printer::print_instance(std::uint32_t number) {
  write(" (instance ", std::to_string(number), ")");
}

bool Printer::print_encoding(const Node& node) {
  switch (node.kind) {
    case Kind::kFunction:
      print_function(node);
      return true;
    case Kind::kSpecial:
      write(node.text, node.a);
      if (node.b != kNoNode) write("-in-", node.b);
      return true;
    case Kind::kNumber:
      if (node.text.starts_with('n'))
        write("-", node.text.substr(1));
      else
        write(node.text);
      return true;
    case Kind::kThunk:
      print_thunk(node);
      return true;
    case Kind::kClone:
      write(node.a, " [clone ", node.text, "]");
      return true;
    default:
      return false;
  }
}

void Printer::print_function(const Node& node) {
  if (node.b != kNoNode) write(node.b, " ");
  write(node.a, "(");
  write_list(list(node));
  write(")");
  print_qualifiers_after(node.qualifiers);
  print_variant(node.a);
}

// The kind of a constructor or destructor: "[subobject]".
void Printer::print_variant(NodeId function_name) {
  const Node& bare = tree_[bare_name(tree_, function_name)];
  const Node& name = bare.kind == Kind::kAbiTagged ? tree_[bare.a] : bare;
  if (name.kind == Kind::kConstructor || name.kind == Kind::kDestructor) write(name.text);
}

void Printer::print_thunk(const Node& node) {
  write(node.text);
  for (const NodeId offset : list(node)) {
    write("(offset ", tree_[offset].a);
    if (tree_[offset].b != kNoNode) write(", virtual offset ", tree_[offset].b);
    write(") ");
  }
  write(node.a);
}

}  // namespace prof::demangle
