// Parses expressions (5.1.6 of the ABI). They occur in array bounds, decltype and template
// arguments.
#include <array>

#include "common/code/demangle/operators.hpp"
#include "common/code/demangle/parser.hpp"

namespace prof::demangle {

NodeId Parser::expression() {
  const Level level(*this);
  if (peek() == 'L') return primary();
  if (peek() == 'T') return template_param();
  if (at("fp") || (at("fL") && peek(2) >= '0' && peek(2) <= '9')) return function_param();
  if (peek() == 'f') return fold();
  if (at_digit() || at("on") || at("dn") || at("sr")) return unresolved_name();
  if (take("gs")) return add({.kind = Kind::kPrefix, .a = expression(), .text = "::"});
  if (take("u")) {
    const NodeId name = source_name();
    return add({.kind = Kind::kCall, .a = name}, template_arguments());
  }
  return special_expression();
}

// Parses operators whose operands have a special form.
NodeId Parser::special_expression() {
  if (take("cl") || take("cp")) {
    const NodeId callee = expression();
    return add({.kind = Kind::kCall, .a = callee}, expressions());
  }
  if (take("cv")) return cast_expression();
  if (take("dt")) return member_expression(".");
  if (take("pt")) return member_expression("->");
  if (take("il")) return add({.kind = Kind::kBraced}, braced_expressions());
  if (take("ix")) {
    const NodeId array = expression();
    return add({.kind = Kind::kSubscript, .a = array, .b = expression()});
  }
  if (take("na")) return new_expression("new[] ");
  if (take("nw")) return new_expression("new ");
  if (take("qu")) {
    const NodeId condition = expression();
    const NodeId then = expression();
    return add({.kind = Kind::kConditional}, std::array{condition, then, expression()});
  }
  if (take("sP")) return add({.kind = Kind::kCall, .a = text("sizeof...")}, template_arguments());
  if (take("sp")) return add({.kind = Kind::kPostfix, .a = expression(), .text = "..."});
  if (take("tl")) {
    const NodeId made = type();
    return add({.kind = Kind::kBraced, .a = made}, braced_expressions());
  }
  if (take("tr")) return text("throw");
  return operator_expression();
}

NodeId Parser::operator_expression() {
  const Operator* found = find_operator(advance(2));
  if (!found || found->shape == Shape::kNameOnly) return fail();
  const auto [code, text, shape] = *found;
  const bool steps = code == "pp" || code == "mm";  // "pp_" is ++x
  const bool is_postfix = steps && !take("_");
  const bool has_type = shape == Shape::kTypeTrait || shape == Shape::kNamedCast;
  const NodeId first = has_type ? type() : expression();
  switch (shape) {
    case Shape::kTypeTrait:
    case Shape::kExpressionTrait:
      return add({.kind = Kind::kEnclosed, .a = first, .text = text});
    case Shape::kBinary:
      return add({.kind = Kind::kBinary, .a = first, .b = expression(), .text = text});
    case Shape::kNamedCast:
      return add({.kind = Kind::kNamedCast, .a = first, .b = expression(), .text = text});
    default:
      return add({.kind = is_postfix ? Kind::kPostfix : Kind::kPrefix, .a = first, .text = text});
  }
}

// Parses L <type> <value> E, L <type> E for a string, and L _Z <encoding> E for an entity.
NodeId Parser::primary() {
  expect("L");
  NodeId node = kNoNode;
  if (take("_Z")) {
    node = add({.kind = Kind::kEntity, .a = encoding()});
  } else if (at("DnE")) {
    advance(2);
    node = text("nullptr");
  } else {
    const NodeId of = type();
    const auto end = rest_.find('E');
    if (end == rest_.npos) return fail();
    const auto value = end == 0 ? "\"...\"" : advance(end);
    node = add({.kind = Kind::kLiteral, .a = of, .text = value});
  }
  expect("E");
  return node;
}

// Parses fp_, which is the first parameter, and fL0p_, which is the first parameter of the
// enclosing function.
NodeId Parser::function_param() {
  if (take("fpT")) return text("this");
  expect("f");
  const bool is_outer = take("L");
  const std::uint32_t levels = is_outer ? number() + 1 : 0;
  expect("p");
  const std::uint8_t qualifiers = cv_qualifiers();
  const NodeId param =
      add({.kind = Kind::kFunctionParam, .qualifiers = qualifiers, .number = index() + 1});
  return is_outer ? add({.kind = Kind::kOuterParam, .a = param, .number = levels}) : param;
}

// Parses folds: fl and fr have one operand, fL and fR two.
NodeId Parser::fold() {
  expect("f");
  const char form = peek();
  advance(1);
  const Operator* found = find_operator(advance(2));
  if (!found || found->shape != Shape::kBinary) return fail();
  const NodeId first = expression();
  switch (form) {
    case 'l':
      return add({.kind = Kind::kFold, .b = first, .text = found->text});
    case 'r':
      return add({.kind = Kind::kFold, .a = first, .text = found->text});
    case 'L':
    case 'R':
      return add({.kind = Kind::kTwoSidedFold, .a = first, .b = expression(), .text = found->text});
    default:
      return fail();
  }
}

// Parses sr <type> <name>, srN <type> <level>... E <name>, and sr <level>... E <name>.
NodeId Parser::unresolved_name() {
  if (!take("sr")) return base_unresolved_name();
  const bool has_levels = take("N") || at_digit();
  NodeId scope = unresolved_type();
  while (has_levels && !failed_ && !take("E")) scope = scoped(scope, simple_id());
  return scoped(scope, base_unresolved_name());
}

NodeId Parser::unresolved_type() {
  if (at_digit()) return simple_id();
  if (peek() == 'T') return template_param_type();
  if (peek() == 'D') return remember(decltype_type(), false);
  if (!take("St")) return substitution_type();
  const NodeId name = scoped(text("std"), source_name());
  remember(name, peek() == 'I');
  return peek() == 'I' ? remember(templated(name), false) : name;
}

NodeId Parser::base_unresolved_name() {
  NodeId name = kNoNode;
  if (take("on")) {
    Name ignored;
    name = operator_name(ignored);
  } else if (take("dn")) {
    name = add({.kind = Kind::kPrefix, .a = unresolved_type(), .text = "~"});
  } else {
    return simple_id();
  }
  return peek() == 'I' ? templated(name) : name;
}

NodeId Parser::simple_id() {
  const NodeId name = source_name();
  return peek() == 'I' ? templated(name) : name;
}

NodeId Parser::cast_expression() {
  const NodeId to = type();
  if (take("_")) return add({.kind = Kind::kCall, .a = to}, expressions());
  return add({.kind = Kind::kCast, .a = to, .b = expression()});
}

NodeId Parser::member_expression(std::string_view access) {
  const NodeId object = expression();
  return add({.kind = Kind::kMember, .a = object, .b = unresolved_name(), .text = access});
}

// Parses <placement>... _ <type> and then [pi <argument>... E | il <element>... E], else E.
NodeId Parser::new_expression(std::string_view text) {
  std::vector<NodeId> placement;
  while (!failed_ && !take("_")) placement.push_back(expression());
  const NodeId made = type();
  NodeId initializer = kNoNode;
  if (take("pi"))
    initializer = add({.kind = Kind::kCall}, expressions());
  else if (take("il"))
    initializer = add({.kind = Kind::kBraced}, braced_expressions());
  else
    expect("E");
  return add({.kind = Kind::kNew, .a = made, .b = initializer, .text = text}, placement);
}

NodeId Parser::braced_expression() {
  const Level level(*this);
  if (take("di")) {
    const NodeId field = source_name();
    return add({.kind = Kind::kDesignator, .a = field, .b = braced_expression()});
  }
  if (!at("dx") && !at("dX")) return expression();
  const bool is_range = at("dX");
  advance(2);
  std::vector<NodeId> bounds{expression()};
  if (is_range) bounds.push_back(expression());
  return add({.kind = Kind::kIndexRange, .b = braced_expression()}, bounds);
}

std::vector<NodeId> Parser::expressions() {
  std::vector<NodeId> list;
  while (!failed_ && !take("E")) list.push_back(expression());
  return list;
}

std::vector<NodeId> Parser::braced_expressions() {
  std::vector<NodeId> list;
  while (!failed_ && !take("E")) list.push_back(braced_expression());
  return list;
}

std::vector<NodeId> Parser::template_arguments() {
  std::vector<NodeId> list;
  while (!failed_ && !take("E")) list.push_back(template_argument());
  return list;
}

}  // namespace prof::demangle
