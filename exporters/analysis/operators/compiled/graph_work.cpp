#include "exporters/analysis/operators/compiled/graph_work.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "exporters/analysis/operators/declared.hpp"
#include "exporters/analysis/operators/work/formulas.hpp"

namespace prof::operators {

namespace {

// Operators without arithmetic that have no rule: views, constants, conversions, and those that
// move elements.
constexpr std::string_view kFree[] = {
    "aten::_unsafe_index",
    "aten::_unsafe_index_put",
    "aten::_unsafe_view",
    "aten::alias",
    "aten::arange",
    "aten::as_strided",
    "aten::detach",
    "aten::empty",
    "aten::expand",
    "aten::full",
    "aten::full_like",
    "aten::index_put",
    "aten::index_put_",
    "aten::lift_fresh_copy",
    "aten::new_full",
    "aten::new_zeros",
    "aten::ones",
    "aten::permute",
    "aten::repeat",
    "aten::reshape",
    "aten::scalar_tensor",
    "aten::select",
    "aten::select_scatter",
    "aten::slice",
    "aten::slice_scatter",
    "aten::split",
    "aten::split_with_sizes",
    "aten::squeeze",
    "aten::t",
    "aten::transpose",
    "aten::unbind",
    "aten::unsqueeze",
    "aten::view",
    "aten::zeros",
    "prims::broadcast_in_dim",
    "prims::convert_element_type",
    "prims::device_put",
    "prims::inductor_force_stride_order",
    "prims::inductor_lookup_seed",
    "prims::inductor_seeds",
    "prims::iota",
};
static_assert(std::ranges::is_sorted(kFree));

// Operators of Inductor that compute something for each element of their argument or result.
struct OfInductor {
  std::string_view name;
  std::int64_t flops;
  bool is_reduction;
};
constexpr OfInductor kOfInductor[] = {
    {"prims::fma", 2, false},
    // The greatest element and the sum of the exponentials: amax, sub, exp, sum.
    {"prims::prepare_softmax_online", 4, true},
};

std::optional<std::int64_t> sum(const std::optional<std::int64_t>& a,
                                const std::optional<std::int64_t>& b) {
  return a && b ? (Amount(*a) + *b).value() : std::nullopt;
}

// The operators of a kernel, one after the other.
class GraphSum {
 public:
  GraphSum(const std::optional<std::int64_t>& elements, GraphKernel kernel)
      : elements_(elements), kernel_(kernel) {
    sum_.work.matrix_flops = sum_.work.vector_flops = 0;
  }
  void add(const GraphOperator& each);
  const GraphWork& result() const { return sum_; }

 private:
  Work work_of_one(const GraphOperator& each,
                   const std::optional<std::vector<Shape>>& shapes) const;
  // Work that is the same for each element.
  Work per_element(std::int64_t flops, bool is_reduction, const GraphOperator& each,
                   const std::optional<std::vector<Shape>>& shapes) const;

  std::optional<std::int64_t> elements_;
  GraphKernel kernel_;
  bool has_products_ = false;
  GraphWork sum_;
};

Work GraphSum::per_element(std::int64_t flops, bool is_reduction, const GraphOperator& each,
                           const std::optional<std::vector<Shape>>& shapes) const {
  std::optional<std::int64_t> count;
  if (is_reduction) {
    if (kernel_ == GraphKernel::kPointwise) return {.matrix_flops = 0, .vector_flops = 0};
    if (shapes && !shapes->empty()) count = product_of(shapes->front()).value();
    // The other part of the reduction is in another kernel.
    if (elements_ && (!count || *count > *elements_)) count = elements_;
  } else {
    if (each.result) count = product_of(*each.result).value();
    if (count && elements_ && *count > *elements_) count = 0;  // computed by another kernel
  }
  return {.matrix_flops = 0,
          .vector_flops = count ? (Amount(flops) * *count).value() : std::nullopt};
}

Work GraphSum::work_of_one(const GraphOperator& each,
                           const std::optional<std::vector<Shape>>& shapes) const {
  const auto* const own = std::ranges::find(kOfInductor, each.name, &OfInductor::name);
  if (own != std::end(kOfInductor)) return per_element(own->flops, own->is_reduction, each, shapes);
  if (std::ranges::binary_search(kFree, each.name)) return {.matrix_flops = 0, .vector_flops = 0};
  const char* const category = category_of(each.name);
  if (kernel_ != GraphKernel::kTemplate && has_products(category))
    return {.matrix_flops = 0, .vector_flops = 0};
  if (category == kReduction) return per_element(1, true, each, shapes);
  const Work none{.matrix_flops = 0, .vector_flops = 0};
  OperatorArguments arguments{.name = each.name, .shapes = {}};
  if (each.result) arguments.output = &*each.result;
  if (category == kElementwise) {
    if (!each.result) return {};
    const auto count = product_of(*each.result).value();
    if (count && elements_ && *count > *elements_) return none;  // computed by another kernel
    // The result has as many elements as the largest argument.
    arguments.shapes = std::span<const Shape>(&*each.result, 1);
    return work_of(arguments);
  }
  if (shapes) {
    arguments.shapes = std::span<const Shape>(*shapes);
    return work_of(arguments);
  }
  return category == nullptr || std::string_view(category) != "copy" ? Work{} : none;
}

void GraphSum::add(const GraphOperator& each) {
  const auto shapes = parse_shapes(each.sizes);
  const Work work = work_of_one(each, shapes);
  sum_.work.matrix_flops = sum(sum_.work.matrix_flops, work.matrix_flops);
  sum_.work.vector_flops = sum(sum_.work.vector_flops, work.vector_flops);
  const bool is_product = work.matrix_flops.value_or(0) > 0;
  const ElementType type =
      declared_by(each.name, shapes.value_or(std::vector<Shape>()), each.arguments).type;
  if (type != ElementType::kUnknown &&
      (sum_.type == ElementType::kUnknown || (is_product && !has_products_)))
    sum_.type = type;
  if (is_product) {
    sum_.work.product = has_products_ ? std::nullopt : work.product;
    has_products_ = true;
  }
}

}  // namespace

GraphOperator parse_graph_operator(std::string_view line) {
  constexpr std::string_view kResult = " -> ";
  GraphOperator parsed;
  const std::size_t arrow = line.rfind(kResult);
  if (arrow != std::string_view::npos) {
    const std::string_view result = line.substr(arrow + kResult.size());
    const std::size_t bracket = std::min(result.find('['), result.size());
    const std::string list = "[" + std::string(result.substr(bracket)) + "]";
    const auto shapes = parse_shapes(list);
    if (shapes && shapes->size() == 1) parsed.result = shapes->front();
    line = line.substr(0, arrow);
  }
  const RangeText text = parse_range_text(line);
  parsed.name = text.name;
  parsed.sizes = text.sizes;
  parsed.arguments = text.arguments;
  return parsed;
}

GraphKernel kind_of_graph_kernel(std::string_view name) {
  if (name.starts_with("triton_poi_")) return GraphKernel::kPointwise;
  const bool is_template = name.starts_with("triton_tem_") || !name.starts_with("triton_");
  return is_template ? GraphKernel::kTemplate : GraphKernel::kReduction;
}

GraphWork work_of_graph(std::string_view graph, const std::optional<std::int64_t>& elements,
                        GraphKernel kernel) {
  GraphSum all(elements, kernel);
  while (!graph.empty()) {
    const std::size_t end = std::min(graph.find('\n'), graph.size());
    all.add(parse_graph_operator(graph.substr(0, end)));
    graph.remove_prefix(std::min(end + 1, graph.size()));
  }
  return all.result();
}

GraphWork work_of_called(const GraphOperator& called) {
  const auto shapes = parse_shapes(called.sizes);
  const Declared declared =
      declared_by(called.name, shapes.value_or(std::vector<Shape>()), called.arguments);
  OperatorArguments arguments{.name = called.name,
                              .shapes = shapes ? *shapes : std::span<const Shape>(),
                              .is_transposed = declared.is_transposed.value_or(false)};
  if (called.result)
    arguments.output = &*called.result;
  else if (declared.result)
    arguments.output = &*declared.result;
  if (declared.gradients) {
    arguments.has_input_gradient = declared.gradients->of_input;
    arguments.has_weight_gradient = declared.gradients->of_weight;
  }
  const Work work = work_of(arguments);
  return {shapes ? work : Work{.category = work.category}, declared.type};
}

}  // namespace prof::operators
