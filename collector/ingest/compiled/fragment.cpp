#include "collector/ingest/compiled/fragment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace prof::ingest {

namespace {

constexpr std::size_t kMaxText = 64 * 1024;
constexpr std::size_t kMaxNodes = 4096;

bool is_plain(std::string_view text) {
  constexpr std::string_view kLetters = "[], .+-_";
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kLetters.find(c) != std::string_view::npos;
  });
}

// Parses "Tensor "f32[8, 512][512, 1]cuda:0"". Older versions write no types.
Tensor tensor_of_annotation(std::string_view text) {
  constexpr std::string_view kTensor = "Tensor \"";
  if (!text.starts_with(kTensor)) return {};
  text.remove_prefix(kTensor.size());
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return {};
  return {std::string(type_named(text.substr(0, bracket))), parse_sizes(text.substr(bracket))};
}

// Returns what is between two texts, or nothing.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  return text.substr(0, std::min(text.find(after), text.size()));
}

}  // namespace

void OperatorText::add_tensor(const Tensor& tensor) {
  sizes_.push_back(ingest::text_of(tensor.sizes));
  arguments_.push_back(tensor.type.empty() ? "tensor" : tensor.type);
}

void OperatorText::add_value(std::string_view value) {
  constexpr std::size_t kMaxValue = 256;
  sizes_.emplace_back("[]");
  const bool is_kept = !value.empty() && value.size() <= kMaxValue && is_plain(value);
  arguments_.emplace_back(is_kept ? value : "?");
}

std::string OperatorText::text(const Tensor& result) const {
  std::string text = fmt::format("{}, sizes = [{}], arguments = [{}]", name_,
                                 fmt::join(sizes_, ", "), fmt::join(arguments_, ", "));
  if (result.sizes)
    text += fmt::format(" -> {} {}", result.type.empty() ? "tensor" : result.type,
                        ingest::text_of(result.sizes));
  return text;
}

std::string operator_named(std::string_view target) {
  constexpr std::string_view kOps = "torch.ops.";
  if (target.starts_with(kOps)) target.remove_prefix(kOps.size());
  const std::size_t dot = target.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view space = target.substr(0, dot);
  const std::string_view rest = target.substr(dot + 1);
  const std::string_view name = rest.substr(0, rest.find('.'));
  if (!is_identifier(space) || !is_identifier(name)) return {};
  return fmt::format("{}::{}", space, name);
}

std::string operators_of_comment(std::string_view line) {
  if (line.find("Source Nodes: [") == std::string_view::npos) return {};
  std::string all;
  for (const std::string_view each : split_list(between(line, "Original ATen: [", "]"))) {
    const std::string name = operator_named(each);
    if (name.empty()) continue;
    all += (all.empty() ? "" : " + ") + name;
    if (all.size() > kMaxText) return {};
  }
  return all;
}

void Fragment::read(std::string_view line) {
  line = trimmed(line);
  if (line == "Graph fragment:") is_in_graph_ = true;
  if (is_in_graph_ && line.starts_with('%')) read_node(line.substr(1));
  if (operators_.empty()) operators_ = operators_of_comment(line);
}

// A result that the kernel also reads has two lines. That of the operator has the sizes of the
// graph.
void Fragment::read_node(std::string_view line) {
  if (nodes_.size() >= kMaxNodes) return;
  const std::size_t colon = line.find(" : ");
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  const std::string_view rest = line.substr(colon + 3);
  const Tensor tensor = tensor_of_annotation(rest);
  const std::size_t call = rest.find(" = call_function[target=");
  if (call == std::string_view::npos) {
    if (tensor.sizes) tensors_.try_emplace(name, tensor);
    return;
  }
  if (tensor.sizes) tensors_[name] = tensor;
  const std::size_t arguments = rest.find("](args = (", call);
  if (arguments == std::string_view::npos) return;
  nodes_.push_back({name, between(rest.substr(call), "[target=", "]"),
                    bracketed(rest.substr(arguments + 9)).value_or(std::string_view())});
}

Tensor Fragment::tensor_of(std::string_view name, const Tensors& of_code) const {
  const auto known = tensors_.find(name);
  return known != tensors_.end() ? known->second : of_code.of(name);
}

std::string Fragment::graph(const Tensors& of_code) const {
  std::string graph;
  for (const Node& node : nodes_) {
    const std::string name = operator_named(node.target);
    if (name.empty() || name == "operator::getitem") continue;
    OperatorText text(name);
    for (const std::string_view argument : split_list(node.arguments)) {
      const bool is_list = argument.starts_with("[%");  // of tensors, each of which is an argument
      if (!is_list && !argument.starts_with('%')) {
        text.add_value(argument);
        continue;
      }
      for (const std::string_view item :
           split_list(is_list ? bracketed(argument).value_or("") : argument))
        text.add_tensor(tensor_of(item.substr(std::min<std::size_t>(1, item.size())), of_code));
    }
    graph += text.text(tensor_of(node.name, of_code)) + '\n';
    if (graph.size() > kMaxText) return {};
  }
  return graph;
}

}  // namespace prof::ingest
