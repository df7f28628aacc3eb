// Parses types (5.1.5 of the ABI) and substitutions (5.1.10).
#include <array>

#include "common/code/demangle/parser.hpp"

namespace prof::demangle {
namespace {

// Builtin types by their letter, starting with 'a'.
constexpr auto kBuiltins = std::to_array<std::string_view>({"signed char",
                                                            "bool",
                                                            "char",
                                                            "double",
                                                            "long double",
                                                            "float",
                                                            "__float128",
                                                            "unsigned char",
                                                            "int",
                                                            "unsigned int",
                                                            "",
                                                            "long",
                                                            "unsigned long",
                                                            "__int128",
                                                            "unsigned __int128",
                                                            "",
                                                            "",
                                                            "",
                                                            "short",
                                                            "unsigned short",
                                                            "",
                                                            "void",
                                                            "wchar_t",
                                                            "long long",
                                                            "unsigned long long",
                                                            "..."});

std::string_view builtin_type(char letter) {
  const auto at = static_cast<std::size_t>(letter - 'a');
  return at < kBuiltins.size() ? kBuiltins[at] : std::string_view();
}

// Builtin types of two letters, by the letter after 'D'.
std::string_view builtin_d_type(char letter) {
  switch (letter) {
    case 'a':
      return "auto";
    case 'c':
      return "decltype(auto)";
    case 'd':
      return "decimal64";
    case 'e':
      return "decimal128";
    case 'f':
      return "decimal32";
    case 'h':
      return "__fp16";
    case 'i':
      return "char32_t";
    case 'n':
      return "std::nullptr_t";
    case 's':
      return "char16_t";
    case 'u':
      return "char8_t";
    default:
      return {};
  }
}

struct Abbreviation {
  char letter;
  std::string_view text;
  std::string_view bare;
};

constexpr auto kAbbreviations = std::to_array<Abbreviation>({
    {'a', "std::allocator", "allocator"},
    {'b', "std::basic_string", "basic_string"},
    {'d', "std::basic_iostream<char, std::char_traits<char>>", "basic_iostream"},
    {'i', "std::basic_istream<char, std::char_traits<char>>", "basic_istream"},
    {'o', "std::basic_ostream<char, std::char_traits<char>>", "basic_ostream"},
    {'s', "std::basic_string<char, std::char_traits<char>, std::allocator<char>>", "basic_string"},
});

}  // namespace

NodeId Parser::type() {
  const Level level(*this);
  if (const auto builtin = builtin_type(peek()); !builtin.empty()) {
    advance(1);
    return text(builtin);
  }
  if (peek() == 'S' && peek(1) != 't') return substitution_type();
  if (const auto builtin = builtin_d_type(peek(1)); peek() == 'D' && !builtin.empty()) {
    advance(2);
    return text(builtin);
  }
  if (at("DF")) return float_type();
  if (at("DB") || at("DU")) return bit_int_type();
  if (peek() == 'T' && peek(1) != 's' && peek(1) != 'u' && peek(1) != 'e')
    return template_param_type();
  return remember(compound_type(), false);
}

// Parses the types that are candidates for substitution.
NodeId Parser::compound_type() {
  if (at_function_type()) return function_type(0);
  if (take("P")) return pointer("*");
  if (take("R")) return pointer("&");
  if (take("O")) return pointer("&&");
  if (take("C")) return add({.kind = Kind::kComplex, .a = type(), .text = "_Complex "});
  if (take("G")) return add({.kind = Kind::kComplex, .a = type(), .text = "_Imaginary "});
  if (take("Dp")) return add({.kind = Kind::kPackExpansion, .a = type()});
  if (at("Dt") || at("DT")) return decltype_type();
  if (at("Dv")) return vector_type();
  if (take("A")) return array_type();
  if (take("M")) return member_pointer();
  if (take("u")) return vendor_type();
  if (peek() == 'U' && peek(1) != 't' && peek(1) != 'l') return vendor_qualified_type();
  if (peek() == 'r' || peek() == 'V' || peek() == 'K') return qualified_type();
  if (peek() == 'T') advance(2);  // Ts, Tu, Te: an elaborated struct, union, enum
  return name().node;
}

NodeId Parser::pointer(std::string_view text) {
  return add({.kind = Kind::kPointer, .a = type(), .text = text});
}

std::uint8_t Parser::cv_qualifiers() {
  std::uint8_t qualifiers = 0;
  if (take("r")) qualifiers |= kRestrict;
  if (take("V")) qualifiers |= kVolatile;
  if (take("K")) qualifiers |= kConst;
  return qualifiers;
}

NodeId Parser::qualified_type() {
  const std::uint8_t qualifiers = cv_qualifiers();
  if (at_function_type()) return function_type(qualifiers);
  return add({.kind = Kind::kQualified, .qualifiers = qualifiers, .a = type()});
}

bool Parser::at_function_type() const {
  return at("F") || at("Do") || at("DO") || at("Dw") || at("Dx");
}

NodeId Parser::function_type(std::uint8_t qualifiers) {
  const NodeId exceptions = exception_specification();
  take("Dx");  // transaction_safe
  expect("F");
  take("Y");  // extern "C"
  const NodeId returned = type();
  const auto list = parameters();
  if (take("R")) qualifiers |= kLvalueRef;
  if (take("O")) qualifiers |= kRvalueRef;
  expect("E");
  return add(
      {.kind = Kind::kFunctionType, .qualifiers = qualifiers, .a = returned, .b = exceptions},
      list);
}

NodeId Parser::exception_specification() {
  if (take("Do")) return text("noexcept");
  if (take("DO")) {
    const NodeId condition = expression();
    expect("E");
    return add({.kind = Kind::kEnclosed, .a = condition, .text = "noexcept"});
  }
  if (!take("Dw")) return kNoNode;
  const auto types = parameters();
  expect("E");
  return add({.kind = Kind::kCall, .a = text("throw")}, types);
}

NodeId Parser::array_type() {
  NodeId bound = kNoNode;
  if (at_digit())
    bound = text(digits());
  else if (peek() != '_')
    bound = expression();
  expect("_");
  return add({.kind = Kind::kArray, .a = type(), .b = bound});
}

NodeId Parser::member_pointer() {
  const NodeId scope = type();
  return add({.kind = Kind::kMemberPointer, .a = scope, .b = type()});
}

NodeId Parser::vendor_type() {
  const NodeId name = source_name();
  return peek() == 'I' ? templated(name) : name;
}

NodeId Parser::vendor_qualified_type() {
  expect("U");
  const NodeId qualifier = vendor_type();
  return add({.kind = Kind::kVendorQualified, .a = type(), .b = qualifier});
}

NodeId Parser::decltype_type() {
  const bool is_expression = at("DT");  // decltype of an expression, not of a name: decltype((x))
  advance(2);
  const NodeId operand = expression();
  expect("E");
  return add({.kind = Kind::kDecltype, .a = operand, .number = is_expression ? 2U : 1U});
}

NodeId Parser::vector_type() {
  expect("Dv");
  NodeId size = kNoNode;
  if (at_digit()) {
    size = text(digits());
  } else {
    take("_");
    size = expression();
  }
  expect("_");
  const NodeId element = take("p") ? text("pixel") : type();
  return add({.kind = Kind::kVector, .a = element, .b = size});
}

// Parses DF16_, DF16b, DF32x.
NodeId Parser::float_type() {
  expect("DF");
  auto name = rest_;
  name = name.substr(0, digits().size() + (peek() == 'x' ? 1 : 0));
  if (take("b")) return name == "16" ? text("std::bfloat16_t") : fail();
  if (!take("x")) expect("_");
  return add({.kind = Kind::kPrefix, .a = text(name), .text = "_Float"});
}

NodeId Parser::bit_int_type() {
  const auto name = at("DU") ? "unsigned _BitInt" : "_BitInt";
  advance(2);
  const NodeId bits = at_digit() ? text(digits()) : expression();
  expect("_");
  return add({.kind = Kind::kEnclosed, .a = bits, .text = name});
}

// Parses a template parameter; T_ is the first one. The level of a generic lambda's parameters
// (TL0__) is not printed.
NodeId Parser::template_param() {
  expect("T");
  if (take("L")) {
    number();
    expect("_");
  }
  return add({.kind = Kind::kTemplateParam, .number = index() + 1});
}

NodeId Parser::template_param_type() {
  const NodeId node = template_param();
  remember(node, peek() == 'I');
  return peek() == 'I' ? remember(templated(node), false) : node;
}

NodeId Parser::substitution() {
  expect("S");
  for (const auto& [letter, full, bare] : kAbbreviations) {
    if (peek() != letter) continue;
    advance(1);
    const NodeId node = add({.kind = Kind::kAbbreviation, .a = text(bare), .text = full});
    return add({.kind = Kind::kUnspaced, .a = node});
  }
  const std::uint32_t index = sequence_index();
  return index < substitutions_.size() ? substitutions_[index] : fail();
}

NodeId Parser::substitution_type() {
  const NodeId node = substitution();
  if (peek() != 'I') return node;
  return remember(add({.kind = Kind::kUnspaced, .a = templated(node)}), false);
}

}  // namespace prof::demangle
