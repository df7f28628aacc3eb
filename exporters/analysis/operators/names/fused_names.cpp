#include "exporters/analysis/operators/names/fused_names.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "exporters/analysis/operators/work/formulas.hpp"

namespace prof::operators {

namespace {

// Operators with underscores in their names that have no rule.
constexpr std::string_view kAtenNames[] = {
    "_adaptive_avg_pool2d",
    "_adaptive_avg_pool3d",
    "_assert_async",
    "_fused_rms_norm",
    "_log_softmax_backward_data",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training",
    "_prelu_kernel",
    "_softmax_backward_data",
    "_unsafe_index",
    "_unsafe_index_put",
    "_unsafe_view",
    "_upsample_bilinear2d_aa",
    "_weight_norm_interface",
    "adaptive_avg_pool2d",
    "adaptive_max_pool2d",
    "as_strided",
    "avg_pool2d",
    "avg_pool3d",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "bitwise_xor",
    "constant_pad_nd",
    "embedding_dense",
    "grid_sampler_2d",
    "index_add",
    "index_put",
    "index_select",
    "inductor_random",
    "inductor_seeds",
    "lift_fresh_copy",
    "linalg_vector_norm",
    "log_sigmoid",
    "logical_xor",
    "masked_fill",
    "max_pool2d_with_indices",
    "max_pool3d_with_indices",
    "mse_loss",
    "native_dropout",
    "new_empty",
    "new_full",
    "new_ones",
    "new_zeros",
    "nll_loss",
    "nll_loss2d",
    "pixel_shuffle",
    "reflection_pad1d",
    "reflection_pad2d",
    "replication_pad2d",
    "scalar_tensor",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "select_scatter",
    "slice_scatter",
    "smooth_l1_loss",
    "split_with_sizes",
    "true_divide",
    "upsample_bicubic2d",
    "upsample_bilinear2d",
    "upsample_nearest2d",
    "var_mean",
};

constexpr std::string_view kHloNames[] = {
    "all_gather",          "all_reduce",           "all_to_all",
    "bitcast_convert",     "collective_permute",   "custom_call",
    "dynamic_slice",       "dynamic_update_slice", "exponential_minus_one",
    "is_finite",           "log_plus_one",         "population_count",
    "reduce_precision",    "reduce_scatter",       "reduce_window",
    "rng_bit_generator",   "round_nearest_afz",    "round_nearest_even",
    "select_and_scatter",  "shift_left",           "shift_right_arithmetic",
    "shift_right_logical",
};
static_assert(std::ranges::is_sorted(kAtenNames) && std::ranges::is_sorted(kHloNames));

bool is_aten_name(std::string_view name) {
  return category_of(name) != nullptr || std::ranges::binary_search(kAtenNames, name);
}
bool is_hlo_name(std::string_view name) { return std::ranges::binary_search(kHloNames, name); }

// Removes "_12" at the end.
void cut_number(std::string_view& text) {
  const std::size_t end = text.find_last_not_of("0123456789");
  if (end != std::string_view::npos && end + 1 < text.size() && text[end] == '_')
    text = text.substr(0, end);
}

// Returns where the word ends that begins at `start`. Underscores in front belong to the word.
std::size_t word_end(std::string_view text, std::size_t start) {
  return std::min(text.find('_', std::min(text.find_first_not_of('_', start), text.size())),
                  text.size());
}

// Takes the longest known name that the text begins with, else its first word.
std::string_view take_name(std::string_view& text, bool (*is_known)(std::string_view)) {
  constexpr int kMaxWords = 8;
  std::size_t best = word_end(text, 0);
  std::size_t end = 0;
  for (int words = 0; words < kMaxWords && end < text.size(); ++words) {
    end = word_end(text, end);
    if (is_known(text.substr(0, end))) best = end;
  }
  for (const std::string_view suffix : {"_forward", "_backward", "_like"}) {
    const std::string_view rest = text.substr(best);
    if (rest.starts_with(suffix) && word_end(rest, 0) == suffix.size()) best += suffix.size();
  }
  const std::string_view name = text.substr(0, best);
  text.remove_prefix(std::min(best + 1, text.size()));
  return name;
}

std::vector<std::string_view> split_names(std::string_view text,
                                          bool (*is_known)(std::string_view)) {
  std::vector<std::string_view> names;
  while (!text.empty()) names.push_back(take_name(text, is_known));
  return names;
}

std::string joined(const std::vector<std::string_view>& names, std::string_view prefix) {
  std::string text;
  for (const std::string_view name : names)
    text.append(text.empty() ? "" : " + ").append(prefix).append(name);
  return text;
}

// Templates multiply matrices; what is pointwise in them is fused with the product.
const char* category_of_template(const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    const std::string_view category = category_of(name) == nullptr ? "" : category_of(name);
    if (category == kConvolution || category == kAttention) return category_of(name);
  }
  return kProduct;
}

}  // namespace

std::optional<FusedName> parse_inductor_name(std::string_view kernel) {
  constexpr std::string_view kPrefix = "triton_";
  constexpr std::string_view kFused = "_fused_";
  const std::size_t fused = kernel.find(kFused);
  if (!kernel.starts_with(kPrefix) || fused == std::string_view::npos) return std::nullopt;
  const std::string_view kind =
      kernel.substr(kPrefix.size(), fused - std::min(fused, kPrefix.size()));
  std::string_view text = kernel.substr(fused + kFused.size());
  cut_number(text);
  // A kernel that only changes the layout of a tensor has a number and no operators.
  if (text.find_first_not_of("0123456789") == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> names = split_names(text, is_aten_name);
  const char* category = kElementwise;
  if (kind == "red" || kind == "per") category = kReduction;
  const bool is_template = kind == "tem";
  if (is_template) category = category_of_template(names);
  std::string operators = joined(names, "aten::");
  return FusedName{is_template ? operators : without_products(operators), category,
                   text.find("_backward") != std::string_view::npos};
}

std::string without_products(std::string_view operators) {
  constexpr std::string_view kPlus = " + ";
  std::string others;
  for (std::string_view rest = operators; !rest.empty();) {
    const std::size_t end = std::min(rest.find(kPlus), rest.size());
    const std::string_view name = rest.substr(0, end);
    if (!has_products(category_of(name))) others.append(others.empty() ? "" : kPlus).append(name);
    rest.remove_prefix(std::min(end + kPlus.size(), rest.size()));
  }
  return others.empty() ? std::string(operators) : others;
}

std::optional<FusedName> parse_xla_name(std::string_view kernel) {
  constexpr std::string_view kFusion = "_fusion";
  if (kernel.starts_with("gemm_fusion")) return FusedName{"dot", kProduct, false};
  cut_number(kernel);
  if (!kernel.ends_with(kFusion)) return std::nullopt;
  kernel.remove_suffix(kFusion.size());
  const std::size_t first = kernel.find('_');
  const std::string_view kind = kernel.substr(0, first);
  const char* category = nullptr;
  if (kind == "loop" || kind == "wrapped") category = kElementwise;
  if (kind == "input") category = kReduction;
  if (category == nullptr) return std::nullopt;
  const std::string_view text =
      first == std::string_view::npos ? std::string_view() : kernel.substr(first + 1);
  const std::vector<std::string_view> names = split_names(text, is_hlo_name);
  return FusedName{names.empty() ? "fusion" : joined(names, ""), category, false};
}

}  // namespace prof::operators
