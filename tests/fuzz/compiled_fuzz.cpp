// The target reads a file as PyTorch's Inductor writes it, and counts the work of its kernels as
// the statistics of operators do. The input selects pieces of such files, so that random bytes also
// pass the first letters. An input that starts with 0 is used as it is.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "collector/ingest/compiled/compiled_file.hpp"
#include "exporters/analysis/operators/compiled/graph_work.hpp"

namespace {

constexpr const char* kPieces[] = {
    "\n",
    "\n    ",
    "# ",
    "#   %",
    "Topologically Sorted Source Nodes: [add], Original ATen: [aten.add, aten.relu]\n",
    "# Graph fragment:\n",
    "add",
    "mm",
    " : Tensor \"f32",
    "[8, 512]",
    "[s0, 9223372036854775807]",
    "cuda:0\"",
    "[num_users=1]",
    " = call_function[target=",
    "torch.ops.aten.add.Tensor",
    "torch.ops.aten.mm.default",
    "torch.ops.aten.sum.dim_IntList",
    "torch.ops.aten.convolution.default",
    "operator.getitem",
    "](args = (",
    "%",
    "[%",
    "%add",
    "), kwargs = {})\n",
    " = PlaceHolder[target=add]\n",
    "triton_poi_fused_add_0",
    " = async_compile.triton('k', '''\n",
    "''', device_str='cuda')\n",
    "{'signature': {'in_ptr0': '*fp32', 'in_out_ptr0': '*bf16', 'xnumel': 'i32'}}\n",
    "def k(in_ptr0):\n",
    "    tmp0 = tl.load(in_ptr0 + (x0))\n",
    "    tl.store(in_out_ptr0 + (x0), tmp0)\n",
    ".run(",
    "buf0",
    "buf1",
    " = ",
    " = empty_strided_cuda(",
    " = rand_strided((8, 512), (512, 1), dtype=torch.float32)\n",
    "assert_size_stride(",
    "assert_size_stride_grouped((buf0, buf1), ((8, ), (4, 2)), ",
    "reinterpret_tensor(buf0, ",
    "(8, 512)",
    "(9223372036854775807, 9223372036854775807)",
    "(512, 1)",
    "torch.bfloat16",
    "extern_kernels.mm(",
    "extern_kernels.convolution(",
    "torch.ops.aten.mm.default(",
    ", stride=(1, 1)",
    ", out=buf1",
    "4096",
    "-1",
    ", ",
    "(",
    ")",
    "[",
    "]",
    "'",
    "\"",
    "\\"};

std::string text_of(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && data[0] == 0) return {data + 1, data + size};
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += kPieces[data[i] % std::size(kPieces)];
  return text;
}

void check(const prof::operators::GraphWork& of) {
  for (const auto& amount : {of.work.matrix_flops, of.work.vector_flops, of.work.elements,
                             of.work.bytes(prof::operators::ElementType::kFp32)})
    if (amount && *amount < 0) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = text_of(data, size);
  prof::ingest::is_compiled_file(text);
  for (const auto& launch : prof::ingest::parse_compiled_file(text)) {
    for (const auto& number : {launch.bytes_read, launch.bytes_written, launch.elements})
      if (number && *number < 0) __builtin_trap();
    if (launch.kernel.empty() || launch.line < 1) __builtin_trap();
    check(prof::operators::work_of_graph(
        launch.graph, launch.elements, static_cast<prof::operators::GraphKernel>(launch.line % 3)));
  }
  check(prof::operators::work_of_graph(text, {}, prof::operators::GraphKernel::kTemplate));
  check(prof::operators::work_of_called(prof::operators::parse_graph_operator(text)));
  return 0;
}
