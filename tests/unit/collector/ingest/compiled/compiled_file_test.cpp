#include "collector/ingest/compiled/compiled_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prof::ingest {
namespace {

// As PyTorch 2.9 to 2.15 write it: the graph has types, and intermediate results are in it twice.
constexpr const char* kNewFile = R"py(# AOT ID: ['0_inference']
import torch
async_compile = AsyncCompile()

# kernel path: /tmp/torchinductor_me/rd/crd.py
# Topologically Sorted Source Nodes: [add, softmax, mul], Original ATen: [aten.add, aten._softmax, aten.mul]
# Source node to ATen node mapping:
#   softmax => amax, sub
# Graph fragment:
#   %arg0_1 : Tensor "f32[8, 512][512, 1]cuda:0" = PlaceHolder[target=arg0_1]
#   %amax : Tensor "f32[8, 1][1, 8]cuda:0" = PlaceHolder[target=amax]
#   %arg1_1 : Tensor "bf16[8, 512][512, 1]cuda:0" = PlaceHolder[target=arg1_1]
#   %add : Tensor "f32[8, 512][512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg0_1, 1), kwargs = {})
#   %amax : Tensor "f32[8, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.amax.default](args = (%add, [-1], True), kwargs = {})
#   %split : [num_users=2] = call_function[target=torch.ops.aten.split.Tensor](args = (%add, 4), kwargs = {})
#   %getitem : Tensor "f32[4, 512][512, 1]cuda:0"[num_users=1] = call_function[target=operator.getitem](args = (%split, 0), kwargs = {})
#   %cat : Tensor "f32[8, 512][512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%getitem, %other], 1), kwargs = {})
#   return %amax,%cat
triton_per_fused__softmax_add_mul_0 = async_compile.triton('triton_per_fused__softmax_add_mul_0', '''
import triton
@triton_heuristics.persistent_reduction(
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'constants': {}},
)
@triton.jit
def triton_per_fused__softmax_add_mul_0(in_out_ptr0, in_ptr0, in_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    tmp0 = tl.load(in_ptr0 + (r0_1 + 512*x0), xmask, other=0.0)
    tmp1 = tl.load(in_ptr1 + (r0_1 + 512*x0), xmask, other=0.0)
    tl.store(in_out_ptr0 + (r0_1 + 512*x0), tmp15, xmask)
''', device_str='cuda')

class Runner:
    def call(self, args):
        arg0_1, arg1_1 = args
        assert_size_stride_grouped((arg0_1, arg1_1), ((8, 512), (8, 512)), ((512, 1), (512, 1)), 'input')
        buf1 = empty_strided_cuda((8, 512), (512, 1), torch.float32)
        buf3 = buf1; del buf1  # reuse
        # Topologically Sorted Source Nodes: [add, softmax], Original ATen: [aten.add, aten._softmax]
        raw_stream0 = get_raw_stream(0)
        triton_per_fused__softmax_add_mul_0.run(buf3, arg0_1, arg1_1, 8, 512, stream=raw_stream0)
        buf4 = empty_strided_cuda((8, 16), (16, 1), torch.float32)
        # Topologically Sorted Source Nodes: [linear], Original ATen: [aten.t, aten.addmm]
        extern_kernels.addmm(arg3_1, buf3, reinterpret_tensor(arg2_1, (512, 16), (1, 512), 0), alpha=1, beta=1, out=buf4)
        buf5 = torch.ops.aten._scaled_dot_product_flash_attention.default(buf4, buf4, buf4, scale=0.25)
        return (buf4, )

def get_args():
    arg0_1 = rand_strided((8, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    arg1_1 = rand_strided((8, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    arg2_1 = rand_strided((16, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    arg3_1 = rand_strided((16, ), (1, ), device='cuda:0', dtype=torch.float32)
)py";

TEST(CompiledFile, OfANewPyTorchHasShapesAndTraffic) {
  const auto launches = parse_compiled_file(kNewFile);
  ASSERT_EQ(launches.size(), 3U);
  const CompiledLaunch& kernel = launches[0];
  EXPECT_EQ(kernel.line, 39);
  EXPECT_EQ(kernel.definition, 19);
  EXPECT_EQ(kernel.kernel, "triton_per_fused__softmax_add_mul_0");
  EXPECT_EQ(kernel.operators, "aten::add + aten::_softmax");  // those of the launch
  EXPECT_EQ(kernel.graph,
            "aten::add, sizes = [[8, 512], []], arguments = [float32, 1] -> float32 [8, 512]\n"
            "aten::amax, sizes = [[8, 512], [], []], arguments = [float32, [-1], True] -> "
            "float32 [8, 1]\n"
            "aten::split, sizes = [[8, 512], []], arguments = [float32, 4]\n"
            "aten::cat, sizes = [[4, 512], ?, []], arguments = [float32, tensor, 1] -> "
            "float32 [8, 512]\n");
  EXPECT_EQ(kernel.inputs, "float32 [8, 512], bfloat16 [8, 512]");  // the first one is only written
  EXPECT_EQ(kernel.outputs, "float32 [8, 512]");
  EXPECT_EQ(kernel.bytes_read, 8 * 512 * 6);
  EXPECT_EQ(kernel.bytes_written, 8 * 512 * 4);
  EXPECT_EQ(kernel.elements, 8 * 512);
  EXPECT_EQ(kernel.is_backward, false);
}

TEST(CompiledFile, SaysWhatCallsOfOperatorsTake) {
  const auto launches = parse_compiled_file(kNewFile);
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_EQ(launches[1].kernel, "extern_kernels.addmm");
  EXPECT_EQ(launches[1].operators, "aten::addmm");
  EXPECT_EQ(launches[1].definition, 0);
  EXPECT_EQ(launches[1].graph,
            "aten::addmm, sizes = [[16], [8, 512], [512, 16]], arguments = [float32, float32, "
            "float32] -> float32 [8, 16]\n");
  EXPECT_EQ(launches[2].operators, "aten::_scaled_dot_product_flash_attention");
  EXPECT_EQ(launches[2].graph,
            "aten::_scaled_dot_product_flash_attention, sizes = [[8, 16], [8, 16], [8, 16]], "
            "arguments = [float32, float32, float32]\n");
}

// PyTorch 2.6 writes no types into the graph. Inputs of the function are known by their names.
TEST(CompiledFile, OfAnOldPyTorchHasTraffic) {
  const auto launches = parse_compiled_file(R"py(# AOT ID: ['3_backward']
# Topologically Sorted Source Nodes: [embedding, mul], Original ATen: [aten.embedding, aten.mul]
# Graph fragment:
#   %embedding : [num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_1, %primals_2), kwargs = {})
#   %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%embedding, 2), kwargs = {})
triton_poi_fused_embedding_mul_0 = async_compile.triton('triton_poi_fused_embedding_mul_0', '''
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32'}, 'device': 0},
def triton_poi_fused_embedding_mul_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    tmp0 = tl.load(in_ptr0 + (x1), xmask)
    tmp6 = tl.load(in_ptr1 + (x0 + 64*tmp4), xmask)
    tl.store(out_ptr0 + (x2), tmp8, xmask)
''', device_str='cuda')
def call(args):
    primals_1, primals_2 = args
    assert_size_stride(primals_1, (1000, 64), (64, 1))
    assert_size_stride(primals_2, (8, ), (1, ))
    buf0 = empty_strided_cuda((8, 64), (64, 1), torch.float32)
    stream0 = get_raw_stream(0)
    triton_poi_fused_embedding_mul_0.run(primals_2, primals_1, buf0, 512, grid=grid(512), stream=stream0)
    buf1 = extern_kernels.convolution(buf9, primals_1, stride=(1, 1), padding=(0, ), dilation=(1, 1), transposed=False, output_padding=(0, 0), groups=1, bias=None)
    assert_size_stride(buf1, (2, 4), (4, 1))
)py");
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].operators, "aten::embedding + aten::mul");
  EXPECT_EQ(launches[0].graph,
            "aten::embedding, sizes = [[1000, 64], [8]], arguments = [tensor, tensor]\n"
            "aten::mul, sizes = [?, []], arguments = [tensor, 2]\n");
  EXPECT_EQ(launches[0].inputs, "int64 [8], float32 [1000, 64]");
  EXPECT_EQ(launches[0].bytes_read, 8 * 8 + 8 * 64 * 4) << "not the whole table";
  EXPECT_EQ(launches[0].bytes_written, 8 * 64 * 4);
  EXPECT_EQ(launches[0].is_backward, true);
  EXPECT_EQ(launches[1].graph,
            "aten::convolution, sizes = [?, [1000, 64], [], [], [], [], []], arguments = [tensor, "
            "tensor, None, [1, 1], [0], [1, 1], False] -> tensor [2, 4]\n");
}

TEST(CompiledFile, HasNoNumbersThatDifferFromRunToRun) {
  const auto launches = parse_compiled_file(R"py(
# Graph fragment:
#   %primals_3 : Tensor "f32[s77, s27][s27, 1]cuda:0" = PlaceHolder[target=primals_3]
#   %add : Tensor "f32[s77, s27][s27, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_3, %primals_3), kwargs = {})
triton_poi_fused_add_0 = async_compile.triton('triton_poi_fused_add_0', '''
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32'}},
def triton_poi_fused_add_0(in_ptr0, out_ptr0, xnumel):
''', device_str='cuda')
def call(args):
    assert_size_stride(primals_3, (s77, s27), (s27, 1))
    buf0 = empty_strided_cuda((s77, s27), (s27, 1), torch.float32)
    triton_poi_fused_add_0.run(primals_3, buf0, s77*s27, stream=stream0)
def get_args():
    primals_3 = rand_strided((8, 512), (512, 1), device='cuda:0', dtype=torch.float32)
)py");
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].inputs, "float32 ?");
  EXPECT_EQ(launches[0].is_backward, std::nullopt);
  EXPECT_EQ(launches[0].graph, "aten::add, sizes = [?, ?], arguments = [float32, float32]\n");
  EXPECT_FALSE(launches[0].bytes_read || launches[0].bytes_written || launches[0].elements);
}

std::string with_sizes(const std::string& sizes) {
  return "triton_poi_fused_add_0 = async_compile.triton('triton_poi_fused_add_0', '''\n"
         "    triton_meta={'signature': {'in_ptr0': '*fp64', 'xnumel': 'i64'}},\n"
         "''', device_str='cuda')\n"
         "buf0 = empty_strided_cuda(" +
         sizes + ", (1,), torch.float64)\ntriton_poi_fused_add_0.run(buf0, 9, stream=stream0)\n";
}

TEST(CompiledFile, SurvivesHostileText) {
  for (const char* sizes : {"(9223372036854775807, 9223372036854775807)", "(-1, )", "(",
                            "((1,), 2)", "(99999999999999999999999, )"}) {
    const auto launches = parse_compiled_file(with_sizes(sizes));
    ASSERT_EQ(launches.size(), 1U) << sizes;
    EXPECT_FALSE(launches[0].bytes_read) << sizes;
  }
  std::string many = "(";
  for (int i = 0; i < 10000; ++i) many += "1, ";
  EXPECT_FALSE(parse_compiled_file(with_sizes(many + ")"))[0].bytes_read);
  for (const char* text :
       {"", "\n", "'''", "k = async_compile.triton(", "k = async_compile.triton('k', '''", "k.run(",
        "k.run()", "= f()", " = ", "extern_kernels.()", "extern_kernels.mm", "torch.ops.x()",
        "# Graph fragment:\n# %", "# Graph fragment:\n#   % : Tensor \"f32[",
        "# Graph fragment:\n#   %a : = call_function[target=](args = ("})
    EXPECT_TRUE(parse_compiled_file(text).empty()) << text;
  EXPECT_TRUE(parse_compiled_file(std::string(100000, '(')).empty());
}

TEST(CompiledFile, KeepsControlCharactersOut) {
  const auto launches =
      parse_compiled_file("extern_kernels.mm(buf0, \x01\n);\nextern_kernels.mm(\x01, 'x')\n");
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].graph, "aten::mm, sizes = [[], []], arguments = [?, ?]\n");
}

TEST(CompiledFile, IsKnownByItsName) {
  const std::string name = "crdjl23n56pjn4gr25674yktxt6lrtsl4oljjwjss4zfdu2twypq.py";
  EXPECT_TRUE(is_compiled_file("/tmp/torchinductor_me/rd/" + name));
  EXPECT_TRUE(is_compiled_file(
      "/root/.cache/vllm/torch_compile_cache/1a2b/rank_0_0/inductor_cache/rd/" + name));
  for (const std::string& path :
       std::vector<std::string>{"rd/" + name, "/tmp/xx/" + name, "/tmp/me/rd/model.py",
                                "/rd" + name, "/tmp/rd/" + name + "c", "/tmp/rd/.py"})
    EXPECT_FALSE(is_compiled_file(path)) << path;
}

}  // namespace
}  // namespace prof::ingest
