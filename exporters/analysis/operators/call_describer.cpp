#include "exporters/analysis/operators/call_describer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>

#include "common/base/letters.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/insight/kernel_kinds.hpp"
#include "exporters/analysis/operators/names/fused_names.hpp"

namespace prof::operators {

using events::RangeTree;
using insight::TensorCores;
using insight::WorkKind;

bool CallDescriber::Key::operator==(const Key& other) const {
  const auto fields = [](const Key& key) {
    return std::tie(key.name, key.sizes, key.scope, key.global_pid, key.device, key.direction,
                    key.source, key.kind, key.parts.type, key.parts.tensor_cores, key.outermost,
                    key.result, key.is_transposed, key.gradients, key.products, key.launch);
  };
  return fields(*this) == fields(other);
}

std::size_t CallDescriber::HashKey::operator()(const Key& key) const {
  std::size_t hash = 0;
  for (const std::int64_t part :
       {key.name, std::int64_t{key.sizes}, std::int64_t{key.scope}, std::int64_t{key.outermost},
        std::int64_t{key.result}, std::int64_t{key.products}, key.global_pid,
        std::int64_t{key.device}, static_cast<std::int64_t>(key.direction),
        static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(key.launch))})
    hash = (hash ^ static_cast<std::size_t>(part)) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 32);
}

std::vector<Operator> CallDescriber::describe() {
  read_parts();
  want_results();
  results_.find(ranges_);
  for (std::size_t call = 0; call < found_.calls.size(); ++call) {
    const Key key = key_of(call);
    const auto [number, is_new] =
        numbers_.try_emplace(key, static_cast<std::int32_t>(operators_.size()));
    if (is_new) operators_.push_back(describe(call, key));
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
  const insight::KernelKind kind = insight::kind_of_kernel(text);
  known->second = {.type = element_type_of(text),
                   .tensor_cores = kind.tensor_cores,
                   .is_for_input = has("dgrad") || has("bwd_data") || has("backward_data"),
                   .is_for_weight = has("wgrad") || has("bwd_filter") || has("backward_filter"),
                   .is_communication = kind.communication};
  return known->second;
}

// A kernel that multiplies matrices decides the type of its call, else the first kernel with a
// type.
void CallDescriber::read_parts() {
  parts_.resize(found_.calls.size());
  for (const GpuOperation& operation : found_.operations()) {
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

const CallDescriber::Traits& CallDescriber::traits_of(std::int32_t name) {
  const auto index = static_cast<std::size_t>(name);
  if (index >= traits_.size()) traits_.resize(2 * index + 1);
  Traits& traits = traits_[index];
  if (traits.is_known) return traits;
  const std::string_view text = ranges_.text(name);
  traits = {.is_known = true,
            .needs_output = operators::needs_output(text),
            .is_convolution = operators::is_convolution(text),
            .is_convolution_backward = operators::is_convolution_backward(text)};
  return traits;
}

// What the arguments say is found once for equal operators.
const Declared& CallDescriber::declared_of(const ParsedName& named) {
  const auto [known, is_new] = declared_.try_emplace({named.name, named.sizes, named.arguments});
  if (is_new) {
    const auto shapes = parse_shapes(ranges_.text(named.sizes));
    known->second = declared_by(ranges_.text(named.name), shapes.value_or(std::vector<Shape>()),
                                ranges_.text(named.arguments));
  }
  return known->second;
}

// Calls visit(range, what it says) for the range of an operator and for those of the operators
// around it, from the inside, until it returns false.
template <class Visit>
void CallDescriber::for_each_operator(std::int32_t range, const Visit& visit) const {
  for (std::int32_t at = range; at != RangeTree::kNone; at = ranges_.tree().parent_of(at)) {
    const ParsedName& around = ranges_.parsed(at);
    if (around.kind != RangeKind::kOperator || !visit(at, around)) return;
  }
}

// The result of an operator may be known only as that of an operator around it, which returns the
// same tensor.
void CallDescriber::want_results() {
  for (const OperatorCall& call : found_.calls) {
    if (call.range == OperatorRanges::kNone) continue;
    const Traits& traits = traits_of_range(call.range);
    if (!traits.needs_output && !traits.is_convolution_backward) continue;
    for_each_operator(call.range, [&](std::int32_t at, const ParsedName& around) {
      if (around.op_id != 0) results_.want(ranges_.tree().at(at).global_tid, around.op_id);
      return true;
    });
  }
}

const Shape* CallDescriber::result_of(const OperatorCall& call) const {
  const Shape* shape = nullptr;
  for_each_operator(call.range, [&](std::int32_t at, const ParsedName& around) {
    shape = results_.shape(ranges_.tree().at(at).global_tid, around.op_id, 0);
    return shape == nullptr;
  });
  return shape;
}

bool CallDescriber::is_result_used(const OperatorCall& call, std::int64_t result) const {
  return results_.shape(ranges_.tree().at(call.range).global_tid, ranges_.parsed(call.range).op_id,
                        result) != nullptr;
}

Gradients CallDescriber::gradients_of(const OperatorCall& call, const Parts& parts) const {
  if (parts.is_for_input || parts.is_for_weight) return {parts.is_for_input, parts.is_for_weight};
  const Gradients used{is_result_used(call, 0), is_result_used(call, 1)};
  return used.of_input || used.of_weight ? used : Gradients{};
}

// The flag is an argument that ranges do not show, but operators around this one have it in their
// names. A backward pass has those of its forward pass.
bool CallDescriber::is_transposed(const OperatorCall& call) const {
  for (const std::int32_t first : {call.range, call.forward})
    for (std::int32_t at = first; at != RangeTree::kNone; at = ranges_.tree().parent_of(at))
      if (ranges_.parsed(at).kind == RangeKind::kOperator &&
          ranges_.name(at).find("transpose") != std::string_view::npos)
        return true;
  return false;
}

CallDescriber::Key CallDescriber::key_of(std::size_t call_number) {
  const OperatorCall& call = found_.calls[call_number];
  const CallFacts& facts = found_.facts[call_number];
  Key key{.global_pid = call.global_pid,
          .device = call.device,
          .scope = facts.place.scope,
          .direction = facts.place.direction,
          .source = facts.source,
          .kind = facts.kind,
          .parts = parts_[call_number],
          .name = facts.name};
  if (const auto found = found_.products.find(static_cast<std::int32_t>(call_number));
      found != found_.products.end())
    key.products = combinations_
                       .try_emplace({found->second.ids, found->second.has_other_work},
                                    static_cast<std::int32_t>(combinations_.size()))
                       .first->second;
  if (facts.launch != nullptr) {
    key.launch = facts.launch;
    key.name = 0;  // kernels of a library differ
    const ElementType type = facts.launch->work.type;
    // Kernels multiply FP32 also as TF32.
    if (type != ElementType::kUnknown &&
        !(type == ElementType::kFp32 && key.parts.type == ElementType::kTf32))
      key.parts.type = type;
  }
  if (facts.source != Source::kOperator) return key;
  const ParsedName& named = ranges_.parsed(call.range);
  key.kind = WorkKind::kKernel;  // an operator may have all kinds of operations
  key.name = named.name;
  key.sizes = named.sizes;
  key.outermost = ranges_.parsed(facts.place.outermost).name;
  const Traits& traits = traits_of(named.name);
  const Declared& declared = declared_of(named);
  // Kernels multiply FP32 also as TF32.
  if (declared.type != ElementType::kUnknown &&
      !(declared.type == ElementType::kFp32 && key.parts.type == ElementType::kTf32))
    key.parts.type = declared.type;
  if (traits.is_convolution)
    key.is_transposed = declared.is_transposed ? *declared.is_transposed : is_transposed(call);
  if (traits.is_convolution_backward)
    key.gradients = declared.gradients ? *declared.gradients : gradients_of(call, key.parts);
  if (traits.needs_output)
    if (const Shape* shape = declared.result ? &*declared.result : result_of(call))
      key.result =
          shapes_.try_emplace(*shape, static_cast<std::int32_t>(shapes_.size())).first->second;
  return key;
}

Operator CallDescriber::describe(std::size_t call_number, const Key& key) {
  const CallFacts& facts = found_.facts[call_number];
  Operator result{.name = {},
                  .outermost = {},
                  .shapes = {},
                  .scope = key.scope,
                  .direction = key.direction,
                  .source = key.source,
                  .type = key.parts.type,
                  .tensor_cores = key.parts.tensor_cores,
                  .work = {},
                  .result = {},
                  .bytes = {},
                  .global_pid = key.global_pid,
                  .device = key.device};
  if (key.source == Source::kOperator)
    describe_operator(found_.calls[call_number], key, result);
  else if (key.launch != nullptr)
    describe_compiled(facts, result);
  else
    describe_other(facts, result);
  if (key.products >= 0)
    describe_products(found_.products.at(static_cast<std::int32_t>(call_number)), result);
  result.bytes = result.work.bytes(result.type);
  return result;
}

// Adds what the arguments of the library say. They are the only source of the work of a library
// call, and of an operator without shapes. They are a second source for other operators, and say
// the type.
void CallDescriber::describe_products(const ProductsOfCall& of_call, Operator& result) const {
  std::vector<const LibraryProduct*> products;
  for (const std::int64_t id : of_call.ids)
    if (const LibraryProduct* product = products_.of(id)) products.push_back(product);
  if (products.size() != of_call.ids.size()) return;
  const LibraryProduct& first = *products.front();
  const bool is_one = products.size() == 1;
  result.products = is_one ? text_of(first) : fmt::format("{} products", products.size());
  const ElementType type = type_of(first, result.type);
  if (std::ranges::all_of(products, [&](const LibraryProduct* each) {
        return type_of(*each, result.type) == type;
      }))
    result.type = type;
  result.agreement = compare(result.work, products);
  if (result.work.matrix_flops || of_call.has_other_work) return;
  const char* const category = result.work.category;
  result.work = sum_of(products);
  if (std::string_view(category) != Work{}.category) result.work.category = category;
  if (is_one && result.shapes.empty()) result.shapes = shapes_of(first);
}

void CallDescriber::describe_operator(const OperatorCall& call, const Key& key, Operator& result) {
  const auto name = static_cast<std::int32_t>(key.name);
  result.name = ranges_.text(name);
  result.outermost = ranges_.text(key.outermost);
  result.shapes = ranges_.text(key.sizes);
  const auto shapes = parse_shapes(result.shapes);
  OperatorArguments arguments{.name = result.name,
                              .shapes = shapes ? *shapes : std::span<const Shape>(),
                              .is_transposed = key.is_transposed,
                              .has_input_gradient = key.gradients.of_input,
                              .has_weight_gradient = key.gradients.of_weight};
  const Declared& declared = declared_of(ranges_.parsed(call.range));
  if (traits_of(name).needs_output)
    arguments.output = declared.result ? &*declared.result : result_of(call);
  if (arguments.output != nullptr) result.result = *arguments.output;
  // Without shapes only the kind of the operator is known.
  result.work = shapes ? work_of(arguments) : Work{.category = work_of(arguments).category};
}

void CallDescriber::describe_compiled(const CallFacts& facts, Operator& result) const {
  result.name = facts.launch->operators;
  result.outermost = facts.launch->kernel;
  result.shapes = facts.launch->shapes;
  result.work = facts.launch->work.work;
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
  if (facts.source == Source::kCompiled) {
    const auto inductor = parse_inductor_name(result.name);
    const FusedName fused = inductor ? *inductor : parse_xla_name(result.name).value();
    result.name = fused.operators;
    result.work = {.category = fused.category};
  }
  if (facts.kind == WorkKind::kKernel && parts_of_kernel(facts.name).is_communication)
    result.work = {.category = "communication", .matrix_flops = 0, .vector_flops = 0};
  if (is_memory) result.work = {.category = "copy", .matrix_flops = 0, .vector_flops = 0};
}

// A backward pass runs on a thread without Python frames, so it has the line of its forward pass.
void CallDescriber::give_chains_to_backward_calls() {
  std::vector<std::int64_t> chains;  // by range of an operator; 0: none
  for (const OperatorCall& call : found_.calls) {
    if (call.chain == 0) continue;
    chains.resize(ranges_.tree().size());
    for_each_operator(call.range, [&](std::int32_t at, const ParsedName&) {
      std::int64_t& chain = chains[static_cast<std::size_t>(at)];
      if (chain == 0) chain = call.chain;
      return true;
    });
  }
  if (chains.empty()) return;
  for (OperatorCall& call : found_.calls) {
    if (call.forward == OperatorRanges::kNone) continue;
    const std::int64_t chain = chains[static_cast<std::size_t>(call.forward)];
    if (chain != 0) call.chain = chain;
  }
}

}  // namespace prof::operators
