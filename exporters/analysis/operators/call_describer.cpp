#include "exporters/analysis/operators/call_describer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/base/letters.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory_operations.hpp"
#include "exporters/analysis/insight/kernel_kinds.hpp"

namespace prof::operators {

using events::RangeTree;
using insight::TensorCores;
using insight::WorkKind;

std::vector<Operator> CallDescriber::describe() {
  read_parts();
  want_results();
  results_.find(ranges_.tree());
  for (std::size_t call = 0; call < found_.calls.size(); ++call) {
    const auto [number, is_new] =
        numbers_.try_emplace(key_of(call), static_cast<std::int32_t>(operators_.size()));
    if (is_new) operators_.push_back(describe(call));
    found_.calls[call].of = number->second;
  }
  give_chains_to_backward_calls();
  return std::move(operators_);
}

const CallDescriber::Parts& CallDescriber::parts_of_kernel(std::int64_t name) {
  const auto [known, is_new] = kernels_.try_emplace(name);
  if (!is_new) return known->second;
  const std::string& text = strings_.text(name);
  const std::string lower = base::to_lower(text);
  const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  known->second = {.type = element_type_of(text),
                   .tensor_cores = insight::kind_of_kernel(text).tensor_cores,
                   .is_for_input = has("dgrad") || has("bwd_data") || has("backward_data"),
                   .is_for_weight = has("wgrad") || has("bwd_filter") || has("backward_filter")};
  return known->second;
}

// A kernel that multiplies matrices decides the type of its call, else the first kernel with a
// type.
void CallDescriber::read_parts() {
  parts_.resize(found_.calls.size());
  for (const GpuOperation& operation : found_.operations) {
    Parts& parts = parts_[static_cast<std::size_t>(operation.call)];
    if (operation.kind != WorkKind::kKernel) continue;
    const Parts& kernel = parts_of_kernel(operation.name);
    const bool is_better =
        kernel.tensor_cores != TensorCores::kNo &&
        (parts.tensor_cores == TensorCores::kNo || kernel.tensor_cores == TensorCores::kUsed);
    if (kernel.type != ElementType::kUnknown && (is_better || parts.type == ElementType::kUnknown))
      parts.type = kernel.type;
    if (is_better) parts.tensor_cores = kernel.tensor_cores;
    parts.is_for_input = parts.is_for_input || kernel.is_for_input;
    parts.is_for_weight = parts.is_for_weight || kernel.is_for_weight;
  }
}

// Calls visit(range, what it says) for the range of an operator and for those of the operators
// around it, from the inside, until it returns false.
template <class Visit>
void CallDescriber::for_each_operator(std::int32_t range, const Visit& visit) const {
  const RangeTree& tree = ranges_.tree();
  for (std::int32_t at = range; at != RangeTree::kNone; at = tree.at(at).parent) {
    const NamedRange around = ranges_.named(at);
    if (around.kind != RangeKind::kOperator || !visit(at, around)) return;
  }
}

// The result of an operator may be known only as that of an operator around it, which returns the
// same tensor.
void CallDescriber::want_results() {
  for (const OperatorCall& call : found_.calls) {
    if (call.range == OperatorRanges::kNone) continue;
    const NamedRange named = ranges_.named(call.range);
    if (!needs_output(named.name) && !is_convolution_backward(named.name)) continue;
    for_each_operator(call.range, [&](std::int32_t at, const NamedRange& around) {
      if (around.text.op_id != 0)
        results_.want(ranges_.tree().at(at).global_tid, around.text.op_id);
      return true;
    });
  }
}

const Shape* CallDescriber::result_of(const OperatorCall& call) const {
  const Shape* shape = nullptr;
  for_each_operator(call.range, [&](std::int32_t at, const NamedRange& around) {
    shape = results_.shape(ranges_.tree().at(at).global_tid, around.text.op_id, 0);
    return shape == nullptr;
  });
  return shape;
}

bool CallDescriber::is_result_used(const OperatorCall& call, std::int64_t result) const {
  const NamedRange named = ranges_.named(call.range);
  return results_.shape(ranges_.tree().at(call.range).global_tid, named.text.op_id, result) !=
         nullptr;
}

// The flag is an argument that ranges do not show, but operators around this one have it in their
// names. A backward pass has those of its forward pass.
bool CallDescriber::is_transposed(const OperatorCall& call) const {
  const RangeTree& tree = ranges_.tree();
  for (const std::int32_t first : {call.range, call.forward})
    for (std::int32_t at = first; at != RangeTree::kNone; at = tree.at(at).parent) {
      const NamedRange around = ranges_.named(at);
      if (around.kind == RangeKind::kOperator &&
          around.name.find("transpose") != std::string_view::npos)
        return true;
    }
  return false;
}

void CallDescriber::add_work(std::size_t call_number, const NamedRange& named,
                             Operator& result) const {
  const OperatorCall& call = found_.calls[call_number];
  const Parts& parts = parts_[call_number];
  const auto shapes = parse_shapes(named.text.sizes);
  OperatorArguments arguments{.name = named.name,
                              .shapes = shapes ? *shapes : std::span<const Shape>()};
  if (needs_output(named.name)) arguments.output = result_of(call);
  if (is_convolution(named.name)) arguments.is_transposed = is_transposed(call);
  if (is_convolution_backward(named.name)) {
    // Kernels say it best. Else a gradient that no operator uses was not computed.
    const bool do_kernels_tell = parts.is_for_input || parts.is_for_weight;
    const bool do_ids_tell = is_result_used(call, 0) || is_result_used(call, 1);
    if (do_kernels_tell || do_ids_tell) {
      arguments.has_input_gradient = do_kernels_tell ? parts.is_for_input : is_result_used(call, 0);
      arguments.has_weight_gradient =
          do_kernels_tell ? parts.is_for_weight : is_result_used(call, 1);
    }
  }
  // Without shapes only the kind of the operator is known.
  result.work = shapes ? work_of(arguments) : Work{.category = work_of(arguments).category};
  result.bytes = result.work.bytes(result.type);
}

Operator CallDescriber::describe(std::size_t call_number) {
  const OperatorCall& call = found_.calls[call_number];
  const CallFacts& facts = found_.facts[call_number];
  const Parts& parts = parts_[call_number];
  Operator result{.name = {},
                  .outermost = {},
                  .shapes = {},
                  .scope = facts.place.scope,
                  .direction = facts.place.direction,
                  .source = facts.source,
                  .type = parts.type,
                  .tensor_cores = parts.tensor_cores,
                  .work = {},
                  .bytes = {},
                  .global_pid = call.global_pid,
                  .device = call.device};
  if (facts.source == Source::kOperator)
    describe_operator(call_number, result);
  else
    describe_other(facts, result);
  return result;
}

void CallDescriber::describe_operator(std::size_t call_number, Operator& result) const {
  const NamedRange named = ranges_.named(found_.calls[call_number].range);
  const CallFacts& facts = found_.facts[call_number];
  result.name = named.name;
  result.outermost = ranges_.named(facts.place.outermost).name;
  result.shapes = named.text.sizes;
  add_work(call_number, named, result);
}

void CallDescriber::describe_other(const CallFacts& facts, Operator& result) {
  const bool is_memory = facts.kind == WorkKind::kCopy || facts.kind == WorkKind::kFill;
  if (facts.source == Source::kLibrary || facts.kind == WorkKind::kKernel)
    result.name = strings_.text(facts.name);
  else if (is_memory)
    result.name = events::memory_operation_name(facts.name);
  else
    result.name = fmt::format("[CUDA graph {}]", facts.name);
  result.outermost = result.name;
  if (facts.kind == WorkKind::kKernel && insight::kind_of_kernel(result.name).communication)
    result.work = {.category = "communication", .matrix_flops = 0, .vector_flops = 0};
  if (is_memory) result.work = {.category = "copy", .matrix_flops = 0, .vector_flops = 0};
}

std::string CallDescriber::key_of(std::size_t call_number) const {
  const OperatorCall& call = found_.calls[call_number];
  const CallFacts& facts = found_.facts[call_number];
  const Parts& parts = parts_[call_number];
  std::string key =
      fmt::format("{} {} {} {} {} {} {} ", call.global_pid, call.device, facts.place.scope,
                  static_cast<int>(facts.place.direction), static_cast<int>(facts.source),
                  static_cast<int>(parts.type), static_cast<int>(parts.tensor_cores));
  if (facts.source != Source::kOperator)
    return key + fmt::format("{} {}", static_cast<int>(facts.kind), facts.name);
  const NamedRange named = ranges_.named(call.range);
  key.append(named.name).append(" ").append(named.text.sizes).append(" ");
  key.append(ranges_.named(facts.place.outermost).name);
  if (is_convolution_backward(named.name))
    key += fmt::format(" {}{}{}{}{}", parts.is_for_input, parts.is_for_weight,
                       is_result_used(call, 0), is_result_used(call, 1), is_transposed(call));
  if (needs_output(named.name))
    if (const Shape* shape = result_of(call))
      for (const std::int64_t size : *shape) key += fmt::format(" {}", size);
  return key;
}

// A backward pass runs on a thread without Python frames, so it has the line of its forward pass.
void CallDescriber::give_chains_to_backward_calls() {
  std::unordered_map<std::int32_t, std::int64_t> chains;  // by range of an operator
  for (const OperatorCall& call : found_.calls) {
    if (call.chain == 0) continue;
    for_each_operator(call.range, [&](std::int32_t at, const NamedRange&) {
      chains.try_emplace(at, call.chain);
      return true;
    });
  }
  for (OperatorCall& call : found_.calls) {
    const auto forward = chains.find(call.forward);
    if (forward != chains.end()) call.chain = forward->second;
  }
}

}  // namespace prof::operators
