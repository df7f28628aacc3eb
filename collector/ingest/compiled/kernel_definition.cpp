#include "collector/ingest/compiled/kernel_definition.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace prof::ingest {

namespace {

constexpr std::size_t kMaxParameters = 256;
constexpr std::size_t kMaxLine = 4096;  // of a kernel's body

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Returns the number of bytes, of at most `most` elements if that is known.
std::optional<std::int64_t> bytes_of(const Tensor& tensor, std::optional<std::int64_t> most) {
  auto elements = elements_of(tensor);
  if (elements && most) elements = std::min(*elements, *most);
  const std::int64_t size = bytes_of_type(tensor.type);
  std::int64_t bytes = 0;
  if (!elements || size == 0 || __builtin_mul_overflow(*elements, size, &bytes))
    return std::nullopt;
  return bytes;
}

void add_to(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& more) {
  std::int64_t result = 0;
  if (!sum || !more || __builtin_add_overflow(*sum, *more, &result))
    sum.reset();
  else
    sum = result;
}

std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::int64_t b) {
  std::int64_t result = 0;
  if (!a || __builtin_mul_overflow(*a, b, &result)) return std::nullopt;
  return result;
}

void append(std::string& list, const Tensor& tensor) {
  if (!list.empty()) list += ", ";
  list += fmt::format("{} {}", tensor.type, text_of(tensor.sizes));
}

}  // namespace

// Pointers have names by their use. A template has other names for what it reads.
bool KernelDefinition::Parameter::is_input() const {
  if (type.empty()) return false;
  if (name.starts_with("in_out_ptr")) return loads > 0 || has_other_uses;
  return name.starts_with("in_ptr") || name.starts_with("arg_");
}

bool KernelDefinition::Parameter::is_output() const {
  return !type.empty() && (name.starts_with("in_out_ptr") || name.starts_with("out_ptr"));
}

void KernelDefinition::read(std::string_view line) {
  if (is_in_body_)
    count_uses(line);
  else if (line.starts_with("def "))
    is_in_body_ = true;
  else if (parameters_.empty())
    read_signature(line);
}

// triton_meta={'signature': {'in_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, …
void KernelDefinition::read_signature(std::string_view line) {
  constexpr std::string_view kSignature = "'signature': ";
  const std::size_t found = line.find(kSignature);
  if (found == std::string_view::npos) return;
  const auto inner = bracketed(line.substr(found + kSignature.size()));
  if (!inner) return;
  const auto unquoted = [](std::string_view text) {
    text = trimmed(text);
    return text.size() >= 2 ? text.substr(1, text.size() - 2) : std::string_view();
  };
  for (const std::string_view item : split_list(*inner)) {
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos || parameters_.size() == kMaxParameters) return;
    const std::string_view type = unquoted(item.substr(colon + 1));
    parameters_.push_back({.name = unquoted(item.substr(0, colon)),
                           .type = type.starts_with('*') ? type_named(type) : std::string_view()});
  }
}

// "tmp0 = tl.load(in_ptr0 + (x0), xmask)", "tl.store(out_ptr0 + (x0), tmp2, xmask)"
void KernelDefinition::count_uses(std::string_view line) {
  line = line.substr(0, kMaxLine);
  for (Parameter& each : parameters_) {
    if (each.type.empty() || each.name.empty()) continue;
    for (std::size_t at = line.find(each.name); at != std::string_view::npos;
         at = line.find(each.name, at + each.name.size())) {
      const std::size_t end = at + each.name.size();
      if ((at > 0 && is_name_letter(line[at - 1])) ||
          (end < line.size() && is_name_letter(line[end])))
        continue;  // a part of another name
      const std::string_view before = line.substr(0, at);
      if (before.ends_with("tl.load("))
        ++each.loads;
      else if (before.ends_with("tl.store("))
        ++each.stores;
      else
        each.has_other_uses = true;
    }
  }
}

// A kernel runs for xnumel elements, or for xnumel x r0_numel, and so on.
std::optional<std::int64_t> KernelDefinition::elements_of_launch(
    const std::vector<std::string_view>& arguments) const {
  std::optional<std::int64_t> elements;
  for (std::size_t i = 0; i < std::min(parameters_.size(), arguments.size()); ++i) {
    if (!parameters_[i].name.ends_with("numel")) continue;
    const auto number = parse_number(arguments[i]);
    if (!number || *number < 0) return std::nullopt;
    elements = elements ? product(elements, *number) : number;
    if (!elements) return std::nullopt;
  }
  return elements;
}

const std::string& KernelDefinition::graph(const Tensors& tensors) {
  if (!graph_) graph_ = fragment_.graph(tensors);
  return *graph_;
}

KernelDefinition::Traffic KernelDefinition::traffic(const std::vector<std::string_view>& arguments,
                                                    const Tensors& tensors) const {
  Traffic traffic{.bytes_read = 0, .bytes_written = 0, .elements = elements_of_launch(arguments)};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& each = parameters_[i];
    if (!each.is_input() && !each.is_output()) continue;
    Tensor tensor = i < arguments.size() ? tensors.of(arguments[i]) : Tensor();
    tensor.type = each.type;
    // Each place reads or writes an element for each element that the kernel runs for.
    const auto most = [&](std::int64_t places) {
      return each.has_other_uses ? std::nullopt : product(traffic.elements, places);
    };
    if (each.is_input()) {
      append(traffic.inputs, tensor);
      add_to(traffic.bytes_read, bytes_of(tensor, most(each.loads)));
    }
    if (each.is_output()) {
      append(traffic.outputs, tensor);
      add_to(traffic.bytes_written, bytes_of(tensor, most(each.stores)));
    }
  }
  if (traffic.inputs.empty() && traffic.outputs.empty())
    traffic.bytes_read = traffic.bytes_written = std::nullopt;
  return traffic;
}

}  // namespace prof::ingest
