#include "exporters/analysis/operators/work/work.hpp"

#include <algorithm>
#include <unordered_map>

#include "exporters/analysis/operators/work/formulas.hpp"

namespace prof::operators {

namespace {

// Returns the name as the rules have it: "add" for "aten::add_".
std::string_view plain_name(std::string_view name) {
  constexpr std::string_view kNamespace = "aten::";
  if (!name.starts_with(kNamespace)) return name;
  name.remove_prefix(kNamespace.size());
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

bool is_communication_name(std::string_view name) {
  return name.starts_with("c10d::") || name.starts_with("nccl:") || name == "record_param_comms";
}

const OperatorRule* rule_of(std::string_view name) {
  static const auto* const rules = [] {
    auto* all = new std::unordered_map<std::string_view, const OperatorRule*>;
    for (const auto part :
         {product_rules, convolution_rules, attention_rules, pointwise_rules, other_rules})
      for (const OperatorRule& rule : part()) all->emplace(rule.name, &rule);
    return all;
  }();
  const auto found = rules->find(plain_name(name));
  return found == rules->end() ? nullptr : found->second;
}

}  // namespace

const Shape& argument(const OperatorArguments& arguments, std::size_t index) {
  static const Shape none;
  return index < arguments.shapes.size() ? arguments.shapes[index] : none;
}

bool has_products(const char* category) {
  return category == kProduct || category == kConvolution || category == kAttention ||
         category == kRecurrent;
}

Amount all_elements(const OperatorArguments& arguments) {
  Amount result = 0;
  for (const Shape& shape : arguments.shapes) result = result + elements_of(shape);
  return result;
}

Amount broadcast_elements(const OperatorArguments& arguments) {
  Shape result;
  for (const Shape& shape : arguments.shapes) {
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& size = result[result.size() - 1 - i];
      if (size == 1) size = shape[shape.size() - 1 - i];
    }
  }
  return elements_of(result);
}

void set_vector_work(const Amount& flops, const Amount& elements, Work& work) {
  work.matrix_flops = 0;
  work.vector_flops = flops.value();
  work.elements = elements.value();
}

std::optional<std::int64_t> Work::bytes(ElementType type) const {
  if (!elements) return std::nullopt;
  if (*elements == 0) return other_bytes;
  const std::int64_t two = bytes_of_two(type);
  if (two == 0) return std::nullopt;
  const auto doubled = (Amount(*elements) * two).value();
  return doubled ? (Amount((*doubled + 1) / 2) + other_bytes).value() : std::nullopt;
}

Work work_of(const OperatorArguments& arguments) {
  Work work;
  const OperatorRule* rule = rule_of(arguments.name);
  if (rule != nullptr) {
    work.category = rule->category;
    if (rule->formula != nullptr) rule->formula(arguments, work);
  } else if (is_communication_name(arguments.name)) {
    work.category = kCommunication;
    work.matrix_flops = work.vector_flops = 0;
  }
  return work;
}

const char* category_of(std::string_view name) {
  const OperatorRule* rule = rule_of(name);
  return rule == nullptr ? nullptr : rule->category;
}

bool needs_output(std::string_view name) {
  const OperatorRule* rule = rule_of(name);
  return rule != nullptr && rule->needs_output;
}

bool is_convolution(std::string_view name) {
  const OperatorRule* rule = rule_of(name);
  return rule != nullptr && rule->category == kConvolution;
}

bool is_convolution_backward(std::string_view name) {
  return is_convolution(name) && name.ends_with("backward");
}

}  // namespace prof::operators
