// Prints expressions. NVIDIA writes no parentheses around operands, whatever their precedence.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "common/code/demangle/printer.hpp"

namespace prof::demangle {
namespace {

// Formats like "%.<digits>g", but adds a fraction if there is neither a fraction nor an exponent:
// "3.0".
template <class Float>
std::string decimal(Float value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
  std::string result = text;
  if (std::isfinite(value) && result.find_first_of(".e") == result.npos) result += ".0";
  return result;
}

// Mangled floating-point literals are the hexadecimal digits of their bits. Only float and double
// are converted.
std::string floating(std::string_view hex) {
  std::uint64_t bits = 0;
  const auto read = std::from_chars(hex.data(), hex.data() + hex.size(), bits, 16);
  if (read.ec != std::errc() || read.ptr != hex.data() + hex.size()) return std::string(hex);
  if (hex.size() == 8) return decimal(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), 6);
  if (hex.size() == 16) return decimal(std::bit_cast<double>(bits), 15);
  return std::string(hex);
}

}  // namespace

bool Printer::print_expression(const Node& node) {
  switch (node.kind) {
    case Kind::kLiteral:
      print_literal(node);
      return true;
    case Kind::kEntity:
      print_entity(node.a);
      return true;
    case Kind::kNew:
      print_new(node);
      return true;
    case Kind::kFunctionParam:
      print_cv_before(node.qualifiers);
      write("param#", std::to_string(node.number));
      return true;
    case Kind::kOuterParam:
      write(node.a, "[up ", std::to_string(node.number), node.number == 1 ? " level]" : " levels]");
      return true;
    case Kind::kCall:
      write(node.a, "(");
      write_list(list(node));
      write(")");
      return true;
    case Kind::kCast:
      write("(", node.a, ")", node.b);
      return true;
    case Kind::kEnclosed:
      write(node.text, "(", node.a, ")");
      return true;
    case Kind::kNamedCast:
      write(node.text, "<", node.a, ">(", node.b, ")");
      return true;
    default:
      return print_operation(node) || print_braces_and_folds(node);
  }
}

bool Printer::print_operation(const Node& node) {
  switch (node.kind) {
    case Kind::kPrefix:
      write(node.text, node.a);
      return true;
    case Kind::kPostfix:
      write(node.a, node.text);
      return true;
    case Kind::kBinary:
      write(node.a, node.text, node.b);
      return true;
    case Kind::kSubscript:
      write(node.a, "[", node.b, "]");
      return true;
    case Kind::kMember:
      write("(", node.a, node.text, node.b, ")");
      return true;
    case Kind::kConditional:
      write(list(node)[0], "?", list(node)[1], ":", list(node)[2]);
      return true;
    default:
      return false;
  }
}

bool Printer::print_braces_and_folds(const Node& node) {
  switch (node.kind) {
    case Kind::kBraced:
      write(node.a, "{");
      write_list(list(node));
      write("}");
      return true;
    case Kind::kFold:
      write("(");
      if (node.a != kNoNode) write(node.a, node.text);
      write("...");
      if (node.b != kNoNode) write(node.text, node.b);
      write(")");
      return true;
    case Kind::kTwoSidedFold:
      write("(", node.a, node.text, "...", node.text, node.b, ")");
      return true;
    case Kind::kDesignator:
      write(".", node.a, "=", node.b);
      return true;
    case Kind::kIndexRange:
      write("[", list(node)[0]);
      if (list(node).size() == 2) write(" ... ", list(node)[1]);
      write("]=", node.b);
      return true;
    default:
      return false;
  }
}

// Prints a function as a template argument: "&A::f const".
void Printer::print_entity(NodeId encoding) {
  const Node& node = tree_[encoding];
  if (node.kind != Kind::kFunction) return print(encoding);
  print(node.a);
  print_qualifiers_after(node.qualifiers);
  print_variant(node.a);
}

void Printer::print_literal(const Node& node) {
  write("(", node.a, ")");
  const Node& type = tree_[node.a];
  const auto separator = node.text.find('_');
  if (type.kind == Kind::kComplex && separator != node.text.npos) {
    write("(", floating(node.text.substr(0, separator)), "+");
    write(floating(node.text.substr(separator + 1)), "i)");
  } else if (type.kind == Kind::kText &&
             (type.text == "float" || type.text == "double" || type.text == "long double")) {
    write(floating(node.text));
  } else if (node.text.starts_with('n')) {
    write("-", node.text.substr(1));
  } else {
    write(node.text);
  }
}

void Printer::print_new(const Node& node) {
  write(node.text);
  if (!list(node).empty()) {
    write("(");
    write_list(list(node));
    write(") ");
  }
  write(node.a, node.b);
}

}  // namespace prof::demangle
