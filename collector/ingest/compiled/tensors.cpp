#include "collector/ingest/compiled/tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace prof::ingest {

namespace {

constexpr std::size_t kMaxTensors = 1 << 20;

struct NamedType {
  std::string_view name;        // PyTorch's
  std::string_view in_comment;  // in the types of a graph
  std::string_view in_triton;   // in a kernel's signature, after the star
  std::int64_t bytes;
};
constexpr NamedType kTypes[] = {
    {"float32", "f32", "fp32", 4},
    {"float16", "f16", "fp16", 2},
    {"bfloat16", "bf16", "bf16", 2},
    {"float64", "f64", "fp64", 8},
    {"int64", "i64", "i64", 8},
    {"int32", "i32", "i32", 4},
    {"int16", "i16", "i16", 2},
    {"int8", "i8", "i8", 1},
    {"uint8", "u8", "u8", 1},
    {"uint16", "u16", "u16", 2},
    {"uint32", "u32", "u32", 4},
    {"uint64", "u64", "u64", 8},
    {"bool", "b8", "i1", 1},
    {"float8_e4m3fn", "f8e4m3fn", "fp8e4nv", 1},
    {"float8_e5m2", "f8e5m2", "fp8e5", 1},
    {"float8_e4m3fnuz", "f8e4m3fnuz", "fp8e4b8", 1},
    {"float8_e5m2fnuz", "f8e5m2fnuz", "fp8e5b16", 1},
    {"float8_e8m0fnu", "f8e8m0fnu", "", 1},
    {"float4_e2m1fn_x2", "f4e2m1fnx2", "", 1},
    {"complex32", "c32", "", 4},
    {"complex64", "c64", "", 8},
    {"complex128", "c128", "", 16},
};

// A part of the name of each function that returns a new tensor: empty_strided_cuda,
// empty_strided_cpu, rand_strided (in a function that measures the file alone).
bool makes_tensor(std::string_view function) {
  return function == "rand_strided" || function.starts_with("empty_strided");
}

}  // namespace

std::string_view type_named(std::string_view name) {
  constexpr std::string_view kModule = "torch.";
  auto field = &NamedType::in_comment;
  if (name.starts_with(kModule)) {
    name.remove_prefix(kModule.size());
    field = &NamedType::name;
  } else if (name.starts_with('*')) {
    name.remove_prefix(1);
    field = &NamedType::in_triton;
  }
  if (name.empty()) return {};
  const auto* const found = std::ranges::find(kTypes, name, field);
  return found == std::end(kTypes) ? std::string_view() : found->name;
}

std::int64_t bytes_of_type(std::string_view type) {
  const auto* const found = std::ranges::find(kTypes, type, &NamedType::name);
  return found == std::end(kTypes) ? 0 : found->bytes;
}

std::string text_of(const std::optional<Sizes>& sizes) {
  return sizes ? fmt::format("[{}]", fmt::join(*sizes, ", ")) : "?";
}

std::optional<std::int64_t> elements_of(const Tensor& tensor) {
  if (!tensor.sizes) return std::nullopt;
  std::int64_t elements = 1;
  for (const std::int64_t size : *tensor.sizes)
    if (__builtin_mul_overflow(elements, size, &elements)) return std::nullopt;
  return elements;
}

// A name has one tensor in a file. What two statements say differently is unknown, as sizes that
// are symbols in one and an example in another.
void Tensors::add(std::string_view name, std::string_view type, const std::optional<Sizes>& sizes) {
  if (!is_identifier(name) || tensors_.size() >= kMaxTensors) return;
  const auto [known, is_new] = tensors_.try_emplace(std::string(name));
  Tensor& tensor = known->second;
  if (is_new || tensor.type.empty()) tensor.type = type;
  if (is_new) {
    tensor.sizes = sizes;
  } else if (tensor.sizes != sizes) {
    tensor.sizes.reset();
  }
}

// assert_size_stride_grouped((a, b), ((8, ), (4, 2)), ((1, ), (2, 1)), 'input')
void Tensors::read_group(const PythonCall& call) {
  if (call.arguments.size() < 2) return;
  const auto names = bracketed(call.arguments[0]);
  const auto sizes = bracketed(call.arguments[1]);
  if (!names || !sizes) return;
  const auto each_name = split_list(*names);
  const auto each_size = split_list(*sizes);
  if (each_name.size() != each_size.size()) return;
  for (std::size_t i = 0; i < each_name.size(); ++i)
    add(each_name[i], {}, parse_sizes(each_size[i]));
}

void Tensors::read(std::string_view statement) {
  const auto call = parse_call(statement);
  if (!call) {
    // "buf1 = buf0; del buf0  # reuse"
    const std::size_t equals = statement.find(" = ");
    if (equals == std::string_view::npos) return;
    const std::string_view value = trimmed(statement.substr(equals + 3));
    const std::string_view source = value.substr(0, value.find_first_of("; "));
    if (!tensors_.contains(source)) return;
    const Tensor renamed = of(source);
    add(trimmed(statement.substr(0, equals)), renamed.type, renamed.sizes);
    return;
  }
  const std::string_view function = call->function;
  const std::size_t count = call->arguments.size();
  if (function == "assert_size_stride_grouped") {
    read_group(*call);
  } else if (function == "assert_size_stride" && count >= 2) {
    add(call->arguments[0], {}, parse_sizes(call->arguments[1]));
  } else if (function == "assert_tensor_metadata" && count >= 4) {
    add(call->arguments[0], type_named(call->arguments[3]), parse_sizes(call->arguments[1]));
  } else if (function == "reinterpret_tensor") {
    const Tensor viewed = of(statement.substr(statement.find(function)));
    add(call->result, viewed.type, viewed.sizes);
  } else if (makes_tensor(function) && count >= 1) {
    const std::string_view type = count >= 3 ? call->arguments[2] : call->keyword("dtype");
    add(call->result, type_named(type), parse_sizes(call->arguments[0]));
  }
}

Tensor Tensors::of(std::string_view expression) const {
  if (const auto found = tensors_.find(expression); found != tensors_.end()) return found->second;
  const auto call = parse_call(expression);
  if (!call || call->function != "reinterpret_tensor" || call->arguments.size() < 2) return {};
  const auto viewed = tensors_.find(call->arguments[0]);
  return {viewed == tensors_.end() ? std::string() : viewed->second.type,
          parse_sizes(call->arguments[1])};
}

}  // namespace prof::ingest
