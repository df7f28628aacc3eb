#include "common/code/demangle/operators.hpp"

#include <algorithm>
#include <array>

namespace prof::demangle {
namespace {

// Sorted by code. The trailing spaces are NVIDIA's: "operator new (unsigned long)".
constexpr auto kOperators = std::to_array<Operator>({
    {"aN", "&=", Shape::kBinary},
    {"aS", "=", Shape::kBinary},
    {"aa", "&&", Shape::kBinary},
    {"ad", "&", Shape::kUnary},
    {"an", "&", Shape::kBinary},
    {"at", "alignof", Shape::kTypeTrait},
    {"aw", "co_await", Shape::kUnary},
    {"az", "alignof", Shape::kExpressionTrait},
    {"cc", "const_cast", Shape::kNamedCast},
    {"cl", "()", Shape::kNameOnly},
    {"cm", ",", Shape::kBinary},
    {"co", "~", Shape::kUnary},
    {"dV", "/=", Shape::kBinary},
    {"da", "delete[] ", Shape::kUnary},
    {"dc", "dynamic_cast", Shape::kNamedCast},
    {"de", "*", Shape::kUnary},
    {"dl", "delete ", Shape::kUnary},
    {"ds", ".*", Shape::kBinary},
    {"dv", "/", Shape::kBinary},
    {"eO", "^=", Shape::kBinary},
    {"eo", "^", Shape::kBinary},
    {"eq", "==", Shape::kBinary},
    {"ge", ">=", Shape::kBinary},
    {"gt", ">", Shape::kBinary},
    {"ix", "[]", Shape::kNameOnly},
    {"lS", "<<=", Shape::kBinary},
    {"le", "<=", Shape::kBinary},
    {"ls", "<<", Shape::kBinary},
    {"lt", "<", Shape::kBinary},
    {"mI", "-=", Shape::kBinary},
    {"mL", "*=", Shape::kBinary},
    {"mi", "-", Shape::kBinary},
    {"ml", "*", Shape::kBinary},
    {"mm", "--", Shape::kUnary},
    {"na", "new[] ", Shape::kNameOnly},
    {"ne", "!=", Shape::kBinary},
    {"ng", "-", Shape::kUnary},
    {"nt", "!", Shape::kUnary},
    {"nw", "new ", Shape::kNameOnly},
    {"nx", "noexcept", Shape::kExpressionTrait},
    {"oR", "|=", Shape::kBinary},
    {"oo", "||", Shape::kBinary},
    {"or", "|", Shape::kBinary},
    {"pL", "+=", Shape::kBinary},
    {"pl", "+", Shape::kBinary},
    {"pm", "->*", Shape::kBinary},
    {"pp", "++", Shape::kUnary},
    {"ps", "+", Shape::kUnary},
    {"pt", "->", Shape::kNameOnly},
    {"qu", "?", Shape::kNameOnly},
    {"rM", "%=", Shape::kBinary},
    {"rS", ">>=", Shape::kBinary},
    {"rc", "reinterpret_cast", Shape::kNamedCast},
    {"rm", "%", Shape::kBinary},
    {"rs", ">>", Shape::kBinary},
    {"sZ", "sizeof...", Shape::kExpressionTrait},
    {"sc", "static_cast", Shape::kNamedCast},
    {"ss", "<=>", Shape::kBinary},
    {"st", "sizeof", Shape::kTypeTrait},
    {"sz", "sizeof", Shape::kExpressionTrait},
    {"te", "typeid", Shape::kExpressionTrait},
    {"ti", "typeid", Shape::kTypeTrait},
    {"tw", "throw ", Shape::kUnary},
});
static_assert(std::ranges::is_sorted(kOperators, {}, &Operator::code));

}  // namespace

const Operator* find_operator(std::string_view code) {
  const auto found = std::ranges::lower_bound(kOperators, code, {}, &Operator::code);
  return found != kOperators.end() && found->code == code ? &*found : nullptr;
}

}  // namespace prof::demangle
