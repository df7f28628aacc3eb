// The parser's input, and the top of the grammar.
#include "common/code/demangle/parser.hpp"

#include <charconv>

namespace prof::demangle {

NodeId Parser::parse() {
  expect("_Z");
  NodeId root = encoding();
  // The compiler's clones have suffixes like ".constprop.0".
  if (peek() == '.') root = add({.kind = Kind::kClone, .a = root, .text = advance(rest_.size())});
  return failed_ || !rest_.empty() ? kNoNode : root;
}

bool Parser::take(std::string_view text) {
  if (!at(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

void Parser::expect(std::string_view text) {
  if (!take(text)) fail();
}

std::string_view Parser::advance(std::size_t count) {
  const auto passed = rest_.substr(0, count);
  rest_.remove_prefix(passed.size());
  return passed;
}

std::string_view Parser::digits() {
  std::size_t count = 0;
  while (peek(count) >= '0' && peek(count) <= '9') ++count;
  if (count == 0) fail();
  return advance(count);
}

// The ABI writes a minus sign as 'n'.
std::string_view Parser::signed_digits() {
  const auto start = rest_;
  const std::size_t sign = take("n") ? 1 : 0;
  return start.substr(0, sign + digits().size());
}

std::uint32_t Parser::number() {
  const auto text = digits();
  std::uint32_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || value > kMaxNumber) fail();
  return value;
}

// Parses "_" as 0, "0_" as 1, "1_" as 2.
std::uint32_t Parser::index() {
  const std::uint32_t value = at_digit() ? number() + 1 : 0;
  expect("_");
  return value;
}

// Parses an index() in base 36.
std::uint32_t Parser::sequence_index() {
  std::size_t count = 0;
  while ((peek(count) >= '0' && peek(count) <= '9') || (peek(count) >= 'A' && peek(count) <= 'Z'))
    ++count;
  const auto text = advance(count);
  std::uint32_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, 36);
  if (!text.empty() && (read.ec != std::errc() || value++ > kMaxNumber)) fail();
  expect("_");
  return value;
}

NodeId Parser::fail() {
  failed_ = true;
  rest_ = {};
  return kNoNode;
}

NodeId Parser::add(Node node, std::span<const NodeId> list) {
  const NodeId id = tree_.add(node, list);
  return id == kNoNode ? fail() : id;
}

// Makes the node a candidate for S_, S0_, ... A scope or a template name is marked, because as a
// type it is printed without the space that follows other types (see Printer::first).
NodeId Parser::remember(NodeId node, bool is_prefix) {
  substitutions_.push_back(is_prefix ? add({.kind = Kind::kUnspaced, .a = node}) : node);
  return node;
}

}  // namespace prof::demangle
