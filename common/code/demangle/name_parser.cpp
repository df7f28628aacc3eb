// Parses encodings and names (5.1.2 to 5.1.4 and 5.1.6 to 5.1.8 of the ABI).
#include <array>

#include "common/code/demangle/operators.hpp"
#include "common/code/demangle/parser.hpp"

namespace prof::demangle {

NodeId Parser::encoding() {
  const Level level(*this);
  if (peek() == 'T' || peek() == 'G') return special_name();
  const Name name = this->name();
  if (at_end()) return name.node;
  const NodeId returned = name.is_template && !name.has_no_return ? type() : kNoNode;
  const auto list = parameters();
  return add(
      {.kind = Kind::kFunction, .qualifiers = name.qualifiers, .a = name.node, .b = returned},
      list);
}

NodeId Parser::special_name() {
  if (take("TV")) return special("Virtual function table for ", type());
  if (take("TT")) return special("Virtual table table for ", type());
  if (take("TI")) return special("Typeinfo for ", type());
  if (take("TS")) return special("Typeinfo name for ", type());
  if (take("TA")) return special("template parameter object for ", template_argument());
  if (take("TH")) return special("Thread-local initialization routine for ", name().node);
  if (take("TW")) return special("Thread-local wrapper routine for ", name().node);
  if (take("GV")) return special("Initialization guard variable for ", name().node);
  if (take("GTt") || take("GTn")) return special("Transaction clone for ", encoding());
  if (take("GR")) {
    const NodeId object = name().node;
    sequence_index();
    return special("Reference temporary for ", object);
  }
  if (take("TC")) return construction_table();
  if (take("Tc")) return thunk("Covariant thunk for ", 2);
  expect("T");
  return thunk("Thunk for ", 1);
}

NodeId Parser::special(std::string_view text, NodeId object) {
  return add({.kind = Kind::kSpecial, .a = object, .text = text});
}

NodeId Parser::construction_table() {
  const NodeId complete = type();
  number();
  expect("_");
  const NodeId base = type();
  return add({.kind = Kind::kSpecial,
              .a = base,
              .b = complete,
              .text = "Construction virtual function table for "});
}

NodeId Parser::thunk(std::string_view text, int offsets) {
  std::array<NodeId, 2> list{};
  for (int i = 0; i < offsets; ++i) list[i] = call_offset();
  const NodeId target = encoding();
  return add({.kind = Kind::kThunk, .a = target, .text = text}, std::span(list).first(offsets));
}

NodeId Parser::call_offset() {
  const bool is_virtual = take("v");
  if (!is_virtual) expect("h");
  const NodeId offset = add({.kind = Kind::kNumber, .text = signed_digits()});
  expect("_");
  if (!is_virtual) return add({.kind = Kind::kCallOffset, .a = offset});
  const NodeId virtual_offset = add({.kind = Kind::kNumber, .text = signed_digits()});
  expect("_");
  return add({.kind = Kind::kCallOffset, .a = offset, .b = virtual_offset});
}

Parser::Name Parser::name() {
  const Level level(*this);
  if (peek() == 'N') return nested_name();
  if (peek() == 'Z') return local_name();
  Name name;
  if (peek() == 'S' && peek(1) != 't') {
    name.node = substitution();
    if (peek() != 'I') fail();
  } else {
    const NodeId scope = take("St") ? text("std") : kNoNode;
    name.node = scoped(scope, unqualified_name(scope, name));
    if (peek() == 'I') remember(name.node, true);
  }
  name.is_template = peek() == 'I';
  if (name.is_template) name.node = templated(name.node);
  return name;
}

Parser::Name Parser::nested_name() {
  expect("N");
  take("H");  // an explicit object parameter, listed with the parameters
  Name name;
  name.qualifiers = cv_qualifiers();
  if (take("R")) name.qualifiers |= kLvalueRef;
  if (take("O")) name.qualifiers |= kRvalueRef;
  bool remembered = false;
  while (!failed_ && !take("E")) remembered = nested_component(name);
  // Each prefix is a candidate for substitution. The whole name is a candidate only if it is a
  // type.
  // In a name that no compiler makes, a closure's "M" can follow what is not a candidate.
  if (!remembered || substitutions_.empty()) fail();
  if (!failed_) substitutions_.pop_back();
  return name;
}

// Parses one component of a nested name. Returns false if the component is not a candidate for
// substitution.
bool Parser::nested_component(Name& name) {
  const bool first = name.node == kNoNode;
  if (!first && take("M")) return true;  // a closure in the initializer of this member
  if (first && peek() == 'S') {
    name.node = take("St") ? text("std") : substitution();
    return false;
  }
  if (first && peek() == 'T') {
    name.node = template_param();
  } else if (first && (at("Dt") || at("DT"))) {
    name.node = decltype_type();
  } else if (!first && peek() == 'I') {
    name.node = templated(name.node);
    name.is_template = true;
  } else {
    name.is_template = name.has_no_return = false;
    name.node = scoped(name.node, unqualified_name(name.node, name));
  }
  remember(name.node, true);
  return true;
}

Parser::Name Parser::local_name() {
  expect("Z");
  const NodeId function = encoding();
  expect("E");
  Name name;
  if (take("s")) {
    name.node = text("string");
  } else if (take("d")) {
    const std::uint32_t position = index() + 1;
    name = this->name();
    name.node = add({.kind = Kind::kDefaultArgument, .a = name.node, .number = position});
  } else {
    name = this->name();
  }
  const std::uint32_t instance = discriminator();
  name.node = add({.kind = Kind::kLocal, .a = function, .b = name.node, .number = instance});
  return name;
}

// Returns the number of an entity among the entities of the same name in a function, or 0 if there
// is none. The second entity has "_0".
std::uint32_t Parser::discriminator() {
  if (take("__")) {
    const std::uint32_t value = number();
    expect("_");
    return value + 2;
  }
  if (!take("_")) return 0;
  if (!at_digit()) fail();
  return failed_ ? 0 : static_cast<std::uint32_t>(advance(1).front() - '0') + 2;
}

NodeId Parser::unqualified_name(NodeId scope, Name& name) {
  take("F");  // a friend
  take("L");  // internal linkage
  if (at_digit()) return abi_tagged(source_name());
  if (peek() == 'U') return abi_tagged(lambda_or_unnamed());
  if (at("DC")) return structured_binding();
  if (peek() == 'C' || peek() == 'D') {
    name.has_no_return = true;
    return abi_tagged(constructor_or_destructor(scope));
  }
  return abi_tagged(operator_name(name));
}

NodeId Parser::constructor_or_destructor(NodeId scope) {
  if (scope == kNoNode) return fail();
  const bool is_constructor = take("C");
  if (!is_constructor) expect("D");
  const bool inherited = is_constructor && take("I");
  const char variant = peek();
  advance(1);
  if (variant < (is_constructor ? '1' : '0') || variant > '5') return fail();
  std::string_view note;
  if (inherited) {
    note = variant == '1' ? " [complete inheriting]" : " [base inheriting]";
    scope = type();
  } else if (variant == '2') {
    note = " [subobject]";
  } else if (variant == '3' || variant == '0') {
    note = is_constructor ? " [allocating]" : " [deleting]";
  }
  return add({.kind = is_constructor ? Kind::kConstructor : Kind::kDestructor,
              .a = bare_name(tree_, scope),
              .text = note});
}

NodeId Parser::operator_name(Name& name) {
  if (take("cv")) {
    name.has_no_return = true;
    return add({.kind = Kind::kConversion, .a = type()});
  }
  if (take("li")) return add({.kind = Kind::kOperator, .a = source_name(), .text = "\"\""});
  if (peek() == 'v' && peek(1) >= '0' &&
      peek(1) <= '9') {  // a vendor's operator, after its number of operands
    advance(2);
    return add({.kind = Kind::kOperator, .a = source_name()});
  }
  const Operator* found = find_operator(advance(2));
  return found ? add({.kind = Kind::kOperator, .text = found->text}) : fail();
}

NodeId Parser::lambda_or_unnamed() {
  if (take("Ut")) return add({.kind = Kind::kUnnamedType, .number = index() + 1});
  expect("Ul");
  template_parameter_declarations();
  const auto list = parameters();
  expect("E");
  return add({.kind = Kind::kLambda, .number = index() + 1}, list);
}

NodeId Parser::structured_binding() {
  expect("DC");
  std::vector<NodeId> names;
  while (!failed_ && !take("E")) names.push_back(source_name());
  return add({.kind = Kind::kBinding}, names);
}

NodeId Parser::abi_tagged(NodeId tagged) {
  std::vector<NodeId> tags;
  while (take("B")) tags.push_back(source_name());
  return tags.empty() ? tagged : add({.kind = Kind::kAbiTagged, .a = tagged}, tags);
}

// Recognises the names of unnamed namespaces by gcc ("_GLOBAL__N_1") and nvcc
// ("_GLOBAL__N__<hash>_<file>"). nvcc puts a file's internal names into "_INTERNAL_<file>", which
// NVIDIA never prints.
NodeId Parser::source_name() {
  const std::uint32_t size = number();
  if (size == 0 || size > rest_.size()) return fail();
  const auto name = advance(size);
  if (name.starts_with("_GLOBAL__N_")) return text("<unnamed>");
  if (name.starts_with("_INTERNAL")) return text("");
  return text(name);
}

NodeId Parser::scoped(NodeId scope, NodeId inner) {
  const auto hidden = [this](NodeId id) {
    return tree_[id].kind == Kind::kText && tree_[id].text.empty();
  };
  if (hidden(scope)) return inner;
  if (hidden(inner)) return scope;
  return add({.kind = Kind::kScoped, .a = scope, .b = inner});
}

std::vector<NodeId> Parser::parameters() {
  std::vector<NodeId> list;
  if (take("v")) {
    if (at_parameters_end()) return list;
    list.push_back(text("void"));
  } else {
    list.push_back(type());
  }
  while (!at_parameters_end()) list.push_back(type());
  return list;
}

bool Parser::at_parameters_end() const { return at_end() || at("RE") || at("OE"); }

NodeId Parser::templated(NodeId name) {
  expect("I");
  return add({.kind = Kind::kTemplated, .a = name}, template_arguments());
}

NodeId Parser::template_argument() {
  const Level level(*this);
  template_parameter_declarations();
  if (peek() == 'L') return primary();
  if (take("X")) {
    const NodeId value = expression();
    expect("E");
    return value;
  }
  if (take("J") || take("I"))  // I: gcc before 4.7
    return add({.kind = Kind::kPack}, template_arguments());
  return type();
}

// Skips declarations of template parameters of generic lambdas and arguments. NVIDIA does not print
// them.
void Parser::template_parameter_declarations() {
  const Level level(*this);
  for (;;) {
    if (take("Ty") || take("Tp")) continue;
    if (take("Tn")) {
      type();
    } else if (take("Tk")) {
      name();
    } else if (take("Tt")) {
      template_parameter_declarations();
      expect("E");
    } else {
      return;
    }
  }
}

}  // namespace prof::demangle
