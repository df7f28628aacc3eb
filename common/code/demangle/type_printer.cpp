// Prints types.
#include "common/code/demangle/printer.hpp"

namespace prof::demangle {

// True if a part of the type follows the declared name, or binds to it like a "*".
bool Printer::has_declarator(NodeId id) const {
  switch (tree_[id].kind) {
    case Kind::kArray:
    case Kind::kComplex:
    case Kind::kFunctionType:
    case Kind::kMemberPointer:
    case Kind::kPackExpansion:
    case Kind::kPointer:
    case Kind::kQualified:
    case Kind::kVendorQualified:
      return true;
    default:
      return false;
  }
}

bool Printer::is_wrapping(NodeId id) const {
  const Kind kind = tree_[id].kind;
  return kind == Kind::kArray || kind == Kind::kFunctionType;
}

bool Printer::print_type(const Node& node) {
  switch (node.kind) {
    case Kind::kVector:
      print_vector(node);
      return true;
    case Kind::kTemplateParam:
      write("T", std::to_string(node.number));
      return true;
    case Kind::kDecltype:
      write(node.number == 2 ? "decltype((" : "decltype(", node.a);
      write(node.number == 2 ? "))" : ")");
      return true;
    case Kind::kUnspaced:
      write(node.a);
      return true;
    default:
      return false;
  }
}

// Prints the part before the declared name. With `spaced`, a declarator follows, so a space follows
// the type ("int *"). NVIDIA omits the space after a substituted scope or template ("A*"). With
// `wrapped`, the declarator binds less tightly than an array or function: "(*".
void Printer::first(NodeId id, bool spaced, bool wrapped) {
  if (!step()) return;
  const Node& node = tree_[id];
  switch (node.kind) {
    case Kind::kArray:
    case Kind::kFunctionType:
      first(node.a, true, false);
      if (wrapped) write("(");
      break;
    case Kind::kComplex:
      write(node.text);
      first(node.a, true, true);
      break;
    case Kind::kMemberPointer:
      first(node.b, true, true);
      write(" :: ", node.a, "::*");
      break;
    case Kind::kPackExpansion:
      first(node.a, false, false);
      write("...", spaced ? " " : "");
      break;
    case Kind::kPointer:
      first(node.a, true, true);
      write(node.text);
      break;
    case Kind::kQualified:
      first_of_qualified(node, spaced, wrapped);
      break;
    case Kind::kVendorQualified:
      first(node.a, true, true);
      write(node.b);
      break;
    default:
      print(id);
      if (spaced && node.kind != Kind::kUnspaced) write(" ");
  }
}

// Prints "const int", but "int *const ". An array's qualifiers are not printed, a function's come
// last.
void Printer::first_of_qualified(const Node& node, bool spaced, bool wrapped) {
  if (is_wrapping(node.a)) return first(node.a, spaced, wrapped);
  const bool after = has_declarator(node.a) && tree_[node.a].kind != Kind::kPackExpansion;
  if (!after) print_cv_before(node.qualifiers);
  first(node.a, spaced || after, wrapped);
  if (after) print_cv_before(node.qualifiers);
}

// Prints the part after the declared name.
void Printer::second(NodeId id, bool wrapped) {
  if (!step()) return;
  const Node& node = tree_[id];
  switch (node.kind) {
    case Kind::kArray:
      write(wrapped ? ")[" : "[", node.b, "]");
      second(node.a, false);
      break;
    case Kind::kFunctionType:
      second_of_function(node, wrapped);
      break;
    case Kind::kMemberPointer:
      second(node.b, true);
      break;
    case Kind::kComplex:
    case Kind::kPointer:
    case Kind::kVendorQualified:
      second(node.a, true);
      break;
    case Kind::kPackExpansion:
      second(node.a, false);
      break;
    case Kind::kQualified:
      second(node.a, wrapped);
      if (tree_[node.a].kind == Kind::kFunctionType) print_qualifiers_after(node.qualifiers);
      break;
    default:
      break;
  }
}

void Printer::second_of_function(const Node& node, bool wrapped) {
  write(wrapped ? ")(" : "(");
  write_list(list(node));
  write(")");
  print_qualifiers_after(node.qualifiers);
  if (node.b != kNoNode) write(" ", node.b);
  second(node.a, false);
}

void Printer::print_vector(const Node& node) {
  write(node.a, " __attribute((vector_size(", node.b, "*sizeof(", node.a, ")))) ");
}

void Printer::print_cv_before(std::uint8_t qualifiers) {
  if (qualifiers & kConst) write("const ");
  if (qualifiers & kVolatile) write("volatile ");
  if (qualifiers & kRestrict) write("restrict ");
}

void Printer::print_qualifiers_after(std::uint8_t qualifiers) {
  if (qualifiers & kConst) write(" const");
  if (qualifiers & kVolatile) write(" volatile");
  if (qualifiers & kRestrict) write(" restrict");
  if (qualifiers & kLvalueRef) write(" &");
  if (qualifiers & kRvalueRef) write(" &&");
}

}  // namespace prof::demangle
