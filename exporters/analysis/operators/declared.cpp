#include "exporters/analysis/operators/declared.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exporters/analysis/operators/names/argument_list.hpp"
#include "exporters/analysis/operators/work/work.hpp"

namespace prof::operators {

namespace {

using Integers = std::vector<std::int64_t>;

constexpr int kNever = -1;
constexpr int kAlways = -2;

// Which arguments of a convolution are what. Input and weight are the first two.
struct ConvolutionSchema {
  std::string_view name;  // after "aten::"
  std::size_t stride;
  std::size_t padding;
  std::size_t dilation;
  int transposed = kNever;
};
constexpr ConvolutionSchema kConvolutions[] = {
    {"conv1d", 3, 4, 5},
    {"conv2d", 3, 4, 5},
    {"conv3d", 3, 4, 5},
    {"convolution", 3, 4, 5, 6},
    {"_convolution", 3, 4, 5, 6},
    {"convolution_overrideable", 3, 4, 5, 6},
    {"cudnn_convolution", 3, 2, 4},
    {"cudnn_convolution_relu", 3, 4, 5},
    {"cudnn_convolution_add_relu", 5, 6, 7},
    {"mkldnn_convolution", 4, 3, 5},
    {"_conv_depthwise2d", 4, 5, 6},
    {"conv_depthwise3d", 4, 5, 6},
    {"slow_conv_dilated2d", 4, 5, 6},
    {"slow_conv_dilated3d", 4, 5, 6},
    {"conv_transpose1d", 3, 4, 7, kAlways},
    {"conv_transpose2d", 3, 4, 7, kAlways},
    {"conv_transpose3d", 3, 4, 7, kAlways},
    {"cudnn_convolution_transpose", 4, 2, 5, kAlways},
};

const ConvolutionSchema* schema_of(std::string_view name) {
  const auto* const found = std::ranges::find(kConvolutions, name, &ConvolutionSchema::name);
  return found == std::end(kConvolutions) ? nullptr : found;
}

ElementType type_called(std::string_view name) {
  if (name == "float64") return ElementType::kFp64;
  if (name == "float32") return ElementType::kFp32;
  if (name == "bfloat16") return ElementType::kBf16;
  if (name == "float16") return ElementType::kFp16;
  if (name.starts_with("float8")) return ElementType::kFp8;
  if (name.starts_with("float4")) return ElementType::kFp4;
  if (name == "int8" || name == "uint8") return ElementType::kInt8;
  return ElementType::kUnknown;
}

// Returns one number for each of `count` dimensions. A single number counts for all.
std::optional<Integers> for_dimensions(std::string_view value, std::size_t count) {
  auto numbers = parse_integers(value);
  if (numbers && numbers->size() == 1) numbers->resize(count, numbers->front());
  return numbers && numbers->size() == count ? numbers : std::nullopt;
}

// Returns the size of the result in one dimension, or a negative number if there is none.
std::int64_t result_size(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                         std::int64_t padding, std::int64_t dilation) {
  constexpr std::int64_t kMax = std::int64_t{1} << 31;  // keeps products in range
  for (const std::int64_t number : {input, kernel, stride, padding, dilation})
    if (number < 0 || number > kMax) return -1;
  const std::int64_t room = input + 2 * padding - dilation * (kernel - 1) - 1;
  return stride == 0 || room < 0 ? -1 : room / stride + 1;
}

void declare_convolution(const ConvolutionSchema& schema, std::span<const Shape> shapes,
                         const std::vector<Argument>& arguments, Declared& declared) {
  const auto value = [&](std::size_t index) {
    return index < arguments.size() ? arguments[index].value : std::string_view();
  };
  bool is_transposed = schema.transposed == kAlways;
  if (schema.transposed >= 0) {
    const auto flag = parse_flags(value(static_cast<std::size_t>(schema.transposed)));
    if (!flag || flag->size() != 1) return;
    is_transposed = flag->front();
  }
  declared.is_transposed = is_transposed;
  // The result of a transposed convolution is not needed for its operations.
  if (is_transposed || shapes.size() < 2 || shapes[0].size() < 3 ||
      shapes[1].size() != shapes[0].size())
    return;
  const std::size_t count = shapes[0].size() - 2;
  const auto stride = for_dimensions(value(schema.stride), count);
  const auto padding = for_dimensions(value(schema.padding), count);
  const auto dilation = for_dimensions(value(schema.dilation), count);
  if (!stride || !padding || !dilation) return;
  Shape result{shapes[0][0], shapes[1][0]};
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(result_size(shapes[0][i + 2], shapes[1][i + 2], (*stride)[i], (*padding)[i],
                                 (*dilation)[i]));
    if (result.back() < 0) return;
  }
  declared.result = std::move(result);
}

// Arguments: a tensor, the dimensions that are reduced, and whether they stay with size 1.
void declare_reduction(std::span<const Shape> shapes, const std::vector<Argument>& arguments,
                       Declared& declared) {
  if (arguments.size() < 3 || shapes.empty()) return;
  const auto dimensions = parse_integers(arguments[1].value);
  const auto keeps = parse_flags(arguments[2].value);
  if (arguments[1].is_tensor() || !dimensions || !keeps || keeps->size() != 1) return;
  const auto count = static_cast<std::int64_t>(shapes[0].size());
  Shape result;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool is_reduced =
        dimensions->empty() || std::ranges::any_of(*dimensions, [&](std::int64_t dimension) {
          return dimension == i || dimension + count == i;
        });
    if (!is_reduced)
      result.push_back(shapes[0][static_cast<std::size_t>(i)]);
    else if (keeps->front())
      result.push_back(1);
  }
  declared.result = std::move(result);
}

}  // namespace

Declared declared_by(std::string_view name, std::span<const Shape> shapes,
                     std::string_view arguments) {
  Declared declared;
  const std::vector<Argument> list = parse_arguments(arguments);
  for (const Argument& each : list)
    if (declared.type == ElementType::kUnknown) declared.type = type_called(each.type);
  if (list.size() != shapes.size()) return declared;
  constexpr std::string_view kNamespace = "aten::";
  const bool is_aten = name.starts_with(kNamespace);
  const ConvolutionSchema* const schema =
      is_aten ? schema_of(name.substr(kNamespace.size())) : nullptr;
  if (schema != nullptr)
    declare_convolution(*schema, shapes, list, declared);
  else if (is_convolution_backward(name) && !list.empty()) {
    const auto mask = parse_flags(list.back().value);
    if (mask && mask->size() == 3) declared.gradients = {(*mask)[0], (*mask)[1]};
  } else if (is_aten && needs_output(name))
    declare_reduction(shapes, list, declared);
  return declared;
}

}  // namespace prof::operators
