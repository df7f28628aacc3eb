// Attention. Queries, keys and values are [batch, heads, length, width] in PyTorch's own operators,
// and [batch, length, heads, width] in those of FlashAttention. Sequences of different lengths in
// one tensor have three dimensions; their lengths are on the GPU, so their work is unknown.
#include "exporters/analysis/operators/work/formulas.hpp"

namespace prof::operators {

namespace {

enum class Layout { kHeadsFirst, kLengthFirst };

struct Heads {
  Amount batch;
  Amount heads;
  Amount length;
  Amount width;
};

Heads heads_of(const Shape& shape, Layout layout) {
  const bool is_heads_first = layout == Layout::kHeadsFirst;
  return {shape[0], shape[is_heads_first ? 1 : 2], shape[is_heads_first ? 2 : 1], shape[3]};
}

// Scores are a product of queries and keys, the result one of scores and values. All scores count,
// also those that a causal mask hides, as in torch.utils.flop_counter. A backward pass computes the
// scores again and has four more products: 3 with the width of the keys, 2 with that of the values.
void attention(const OperatorArguments& in, std::size_t first, Layout layout, Work& work) {
  const Shape& query = argument(in, first);
  const Shape& key = argument(in, first + 1);
  const Shape& value = argument(in, first + 2);
  if (query.size() != 4 || key.size() != 4 || value.size() != 4) return;
  const Heads q = heads_of(query, layout);
  const Heads v = heads_of(value, layout);
  const Amount scores = q.batch * q.heads * q.length * v.length;
  const bool is_backward = first == 1;
  const Amount width = is_backward ? Amount(3) * q.width + Amount(2) * v.width : q.width + v.width;
  work.matrix_flops = (Amount(2) * scores * width).value();
  work.vector_flops = (Amount(5) * scores).value();
  const Amount result = q.batch * q.heads * q.length * v.width;
  const Amount all = elements_of(query) + elements_of(key) + elements_of(value) + result;
  work.elements = (Amount(is_backward ? 2 : 1) * all).value();
}

template <Layout kLayout>
void attention_forward(const OperatorArguments& in, Work& work) {
  attention(in, 0, kLayout, work);
}
// The first argument is the gradient of the result.
template <Layout kLayout>
void attention_backward(const OperatorArguments& in, Work& work) {
  attention(in, 1, kLayout, work);
}

constexpr auto kHeads = Layout::kHeadsFirst;
constexpr auto kLength = Layout::kLengthFirst;

constexpr OperatorRule kAttentionRules[] = {
    {"scaled_dot_product_attention", kAttention, attention_forward<kHeads>},
    {"_scaled_dot_product_flash_attention", kAttention, attention_forward<kHeads>},
    {"_scaled_dot_product_efficient_attention", kAttention, attention_forward<kHeads>},
    {"_scaled_dot_product_cudnn_attention", kAttention, attention_forward<kHeads>},
    {"_scaled_dot_product_flash_attention_for_cpu", kAttention, attention_forward<kHeads>},
    {"_cudnn_attention_forward", kAttention, attention_forward<kHeads>},
    {"_flash_attention_forward", kAttention, attention_forward<kLength>},
    {"_efficient_attention_forward", kAttention, attention_forward<kLength>},
    {"flash_attn::_flash_attn_forward", kAttention, attention_forward<kLength>},
    {"_scaled_dot_product_flash_attention_backward", kAttention, attention_backward<kHeads>},
    {"_scaled_dot_product_efficient_attention_backward", kAttention, attention_backward<kHeads>},
    {"_scaled_dot_product_cudnn_attention_backward", kAttention, attention_backward<kHeads>},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", kAttention,
     attention_backward<kHeads>},
    {"_cudnn_attention_backward", kAttention, attention_backward<kHeads>},
    {"_flash_attention_backward", kAttention, attention_backward<kLength>},
    {"_efficient_attention_backward", kAttention, attention_backward<kLength>},
    {"flash_attn::_flash_attn_backward", kAttention, attention_backward<kLength>},
};

}  // namespace

std::span<const OperatorRule> attention_rules() { return kAttentionRules; }

}  // namespace prof::operators
