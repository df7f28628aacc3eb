// The target reads names of NVTX ranges and of kernels as the statistics of operators do, and
// counts the work. The input selects pieces of such names, so that random bytes also pass the first
// letters. An input that starts with 0 is used as it is.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/analysis/operators/names/fused_names.hpp"
#include "exporters/analysis/operators/names/range_kinds.hpp"
#include "exporters/analysis/operators/work/work.hpp"

namespace {

using namespace prof::operators;

constexpr const char* kPieces[] = {":",
                                   "aten::mm",
                                   "aten::addmm",
                                   "aten::convolution",
                                   "aten::convolution_backward",
                                   "aten::_scaled_dot_product_flash_attention_backward",
                                   "aten::native_layer_norm",
                                   "aten::_fused_adamw_",
                                   "aten::cat",
                                   "aten::index_select",
                                   "autograd::engine::evaluate_function: MmBackward0",
                                   "PyTorch:Linear",
                                   ".forward",
                                   "TSL:Thunk:#",
                                   "TSL:XlaModule:#",
                                   "hlo_op=",
                                   "hlo_module=",
                                   ",",
                                   "#",
                                   ", seq = ",
                                   ", op_id = ",
                                   ", sizes = ",
                                   ", input_op_ids = ",
                                   "[[",
                                   "]]",
                                   "[",
                                   "]",
                                   "], [",
                                   ", ",
                                   "(1,0)",
                                   "(0,-1)",
                                   "0",
                                   "1",
                                   "64",
                                   "9223372036854775807",
                                   "4294967296",
                                   "-",
                                   "triton_poi",
                                   "triton_red",
                                   "triton_tem",
                                   "_fused_",
                                   "_add",
                                   "_relu",
                                   "__to_copy",
                                   "_backward",
                                   "_native_layer_norm",
                                   "_",
                                   "loop_",
                                   "gemm_",
                                   "multiply",
                                   "_fusion"};

std::string text_of(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && data[0] == 0) return {data + 1, data + size};
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += kPieces[data[i] % std::size(kPieces)];
  return text;
}

bool is_part(std::string_view part, std::string_view text) {
  return part.empty() ||
         (part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size());
}

// Counts cannot be negative, whatever the sizes are.
void count_work(const NamedRange& named) {
  const std::optional<std::vector<Shape>> shapes = parse_shapes(named.text.sizes);
  if (!shapes) return;
  for (const Shape& output : {Shape{}, shapes->empty() ? Shape{} : shapes->front()}) {
    const Work work =
        work_of({.name = named.name, .shapes = std::span<const Shape>(*shapes), .output = &output});
    for (const auto& amount :
         {work.matrix_flops, work.vector_flops, work.elements, work.bytes(ElementType::kFp32)})
      if (amount && *amount < 0) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = text_of(data, size);
  const NamedRange named = classify(text);
  for (const std::string_view part :
       {named.name, named.text.name, named.text.sizes, named.text.sources})
    if (!is_part(part, text)) __builtin_trap();
  parse_sources(named.text.sources);
  count_work(named);
  for (const auto& fused : {parse_inductor_name(text), parse_xla_name(text)})
    if (fused && (fused->operators.empty() || fused->category == nullptr)) __builtin_trap();
  return 0;
}
