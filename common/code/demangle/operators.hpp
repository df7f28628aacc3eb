// The two-letter operator codes of the Itanium C++ ABI, 5.1.4.3 and 5.1.6.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::demangle {

// The form of the operands that follow an operator's code in an expression.
enum class Shape : std::uint8_t {
  kNameOnly,         // only in operator names, or with a special form
  kUnary,            // one expression
  kBinary,           // two expressions
  kTypeTrait,        // a type: sizeof(T)
  kExpressionTrait,  // an expression: sizeof(e)
  kNamedCast,        // a type and an expression: static_cast<T>(e)
};

struct Operator {
  std::string_view code;
  std::string_view text;
  Shape shape;
};

// Returns the operator, or null if the code is not an operator.
const Operator* find_operator(std::string_view code);

}  // namespace prof::demangle
