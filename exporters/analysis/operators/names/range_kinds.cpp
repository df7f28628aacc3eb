#include "exporters/analysis/operators/names/range_kinds.hpp"

#include <algorithm>

namespace prof::operators {

namespace {

constexpr std::string_view kDigits = "0123456789";

// True for the names of nodes of the backward pass: "MmBackward0".
bool is_node_name(std::string_view name) {
  name = name.substr(0, name.find_last_not_of(kDigits) + 1);
  return name.ends_with("Backward");
}

bool is_communication(std::string_view name) {
  return name.starts_with("nccl:") || name == "record_param_comms";
}

NamedRange of_functions_trace(std::string_view text) {
  constexpr std::string_view kForward = ".forward";
  text = parse_range_text(text).name;  // without the sizes of --pytorch=functions-trace-shapes
  if (text.ends_with(kForward))
    return {RangeKind::kModule, text.substr(0, text.size() - kForward.size()), {}};
  return {text.ends_with(".step") ? RangeKind::kStep : RangeKind::kOther, text, {}};
}

// XLA's ranges are "XlaModule:#hlo_module=jit_step,program_id=5#" and, for each instruction,
// "Thunk:#hlo_op=fusion.3,…#" or "Thunk:#name=jit(step)/dot,hlo_op=dot.5,…#".
NamedRange of_xla(std::string_view name, std::string_view text) {
  const auto value_of = [&](std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) return std::string_view();
    const std::string_view value = text.substr(at + key.size());
    return value.substr(0, std::min(value.find_first_of(",#"), value.size()));
  };
  const std::string_view module = value_of("hlo_module=");
  const std::string_view instruction = value_of("hlo_op=");
  if (text.starts_with("Thunk:#") && !instruction.empty())
    return {RangeKind::kOperator,
            instruction,
            {.name = instruction, .sizes = {}, .arguments = {}, .sources = {}}};
  if (text.starts_with("XlaModule:#") && !module.empty()) return {RangeKind::kModule, module, {}};
  return {RangeKind::kOther, name, {}};
}

}  // namespace

NamedRange classify(std::string_view name) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  const std::string_view domain = name.substr(0, colon);
  const std::string_view text = name.substr(std::min(name.size(), colon + 1));
  if (domain == "PyTorch") return of_functions_trace(text);
  if (domain == "TSL") return of_xla(name, text);
  const bool is_observed = domain == kObservedDomain;
  if (!domain.empty() && !is_observed) return {RangeKind::kOther, name, {}};
  const RangeText parsed = parse_range_text(text);
  for (const std::string_view prefix : {"Optimizer.step#", "Optimizer.zero_grad#"})
    if (parsed.name.starts_with(prefix))
      return {RangeKind::kStep, parsed.name.substr(prefix.size()), {}};
  const bool is_marked =
      is_observed || parsed.op_id != 0 || parsed.sequence >= 0 || !parsed.sizes.empty();
  if (!is_marked && !parsed.name.starts_with("aten::")) return {RangeKind::kOther, text, {}};
  if (parsed.name.starts_with("autograd::engine::") ||
      parsed.name.starts_with("torch::autograd::") || is_node_name(parsed.name))
    return {RangeKind::kBackwardNode, parsed.name, parsed};
  // A range of record_function() has an id, but no tensors.
  const bool is_operator = parsed.name.find("::") != std::string_view::npos ||
                           is_communication(parsed.name) || parsed.sequence >= 0 ||
                           parsed.sizes.find_first_of(kDigits) != std::string_view::npos;
  return {is_operator ? RangeKind::kOperator : RangeKind::kOther, parsed.name, parsed};
}

}  // namespace prof::operators
