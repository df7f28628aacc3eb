// Findings about operators of PyTorch.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::analyze {

namespace {

using operators::MatrixProduct;

// The uses of operators that a finding is about.
struct Uses {
  std::vector<const OperatorUse*> all;
  std::int64_t at_stake = 0;
  const OperatorUse* worst = nullptr;
  std::int64_t worst_at_stake = 0;

  void add(const OperatorUse& use, std::int64_t time) {
    all.push_back(&use);
    at_stake += time;
    if (worst != nullptr && time <= worst_at_stake) return;
    worst = &use;
    worst_at_stake = time;
  }
  std::int64_t calls() const {
    std::int64_t sum = 0;
    for (const OperatorUse* use : all) sum += use->calls;
    return sum;
  }
};

Where where_of_use(const OperatorUse& use) {
  return {use.longest, {}, insight::Device{use.global_pid, use.device}};
}

std::optional<Finding> finding_of_uses(const Uses& uses, const char* rule, std::string sentence,
                                       const std::string& detail, const char* remedy,
                                       double saved_part) {
  if (uses.all.empty()) return std::nullopt;
  Finding finding{
      .rule = rule,
      .sentence = std::move(sentence),
      .at_stake = uses.at_stake,
      .evidence = fmt::format("{}; the most ({}) is in {}{}", count_text(uses.calls(), "call"),
                              time_text(uses.worst_at_stake), uses.worst->text, detail),
      .remedy = remedy,
      .where = where_of_use(*uses.worst),
      .saved_part = saved_part};
  return finding;
}

// Elements that make 16 bytes, which tensor cores read at once.
std::int64_t alignment_of(operators::ElementType type) {
  const std::int64_t two = operators::bytes_of_two(type);
  return two == 0 ? 1 : 32 / two;
}

// Returns "N = 50257; pad it to 50264", or an empty text for sizes that fit.
std::string misfit_text(const MatrixProduct& product, std::int64_t alignment) {
  const std::pair<char, std::int64_t> sizes[] = {
      {'N', product.n}, {'K', product.k}, {'M', product.m}};
  for (const auto& [name, size] : sizes)
    if (size % alignment != 0 && size > alignment)
      return fmt::format("{} = {}; pad it to {}", name, size, (size / alignment + 1) * alignment);
  return {};
}

}  // namespace

std::optional<Finding> inefficient_operators(const Facts& facts) {
  constexpr double kFar = 50;  // percent of the roof
  constexpr double kUsuallySaved = 0.5;
  Uses uses;
  for (const OperatorUse& use : facts.operators.uses)
    if (use.roof > 0 && use.roof < kFar) uses.add(use, use.headroom);
  return finding_of_uses(
      uses, "inefficient_operators",
      "Operators take more than twice the time that the GPU needs for their FLOPs and bytes",
      uses.worst == nullptr ? "" : fmt::format(" ({:.1f} % of the roof)", uses.worst->roof),
      "prof stats -r roofline lists them. Use larger batches, torch.compile or fused operators, a "
      "lower precision, channels_last for convolutions",
      kUsuallySaved);
}

std::optional<Finding> small_products(const Facts& facts) {
  constexpr double kShort = 5000;  // ns: about as long as launching takes
  Uses uses;
  for (const OperatorUse& use : facts.operators.uses) {
    if (!use.product || use.roof <= 0) continue;
    if (use.least / static_cast<double>(use.calls) < kShort && use.roof < 50)
      uses.add(use, use.headroom);
  }
  return finding_of_uses(
      uses, "small_products", "Matrix products are too small for the GPU", "",
      "Compute more at once: a larger batch, torch.bmm or grouped products instead of a loop, one "
      "product for projections that share their input",
      0.5);
}

std::optional<Finding> unaligned_products(const Facts& facts) {
  Uses uses;
  for (const OperatorUse& use : facts.operators.uses)
    if (use.product && !misfit_text(*use.product, alignment_of(use.type)).empty())
      uses.add(use, use.headroom > 0 ? use.headroom : use.time);
  return finding_of_uses(
      uses, "unaligned_products",
      "Matrix products have sizes that tensor cores do not fit: not multiples of 16 bytes",
      uses.worst == nullptr
          ? ""
          : ": " + misfit_text(*uses.worst->product, alignment_of(uses.worst->type)),
      "Pad the size (vocabulary, hidden width, batch) to a multiple of 8 for FP16 and BF16, of 4 "
      "for "
      "TF32, of 16 for FP8; multiples of 64 are often faster still",
      0.5);
}

std::optional<Finding> unfused_operators(const Facts& facts) {
  const ElementwiseChains& chains = facts.operators.chains;
  if (chains.chains == 0) return std::nullopt;
  return Finding{
      .rule = "unfused_operators",
      .sentence = "Elementwise operators run one after the other, each with its own traffic",
      .at_stake = chains.saving,
      .evidence = fmt::format(
          "{} in {}, which take {}; the longest: {}", count_text(chains.operators, "operator"),
          count_text(chains.chains, "chain"), time_text(chains.time), chains.longest),
      .remedy = "Fuse them: torch.compile, or a fused operator of the library",
      .where = Where{chains.when, {}, insight::Device{chains.global_pid, chains.device}}};
}

std::optional<Finding> recomputation(const Facts& facts) {
  Uses uses;
  for (const OperatorUse& use : facts.operators.uses)
    if (use.direction == operators::Direction::kRecompute) uses.add(use, use.time);
  return finding_of_uses(
      uses, "recomputation", "Operators of the forward pass run again in the backward pass", "",
      "If memory allows, checkpoint fewer modules, or only those that are cheap to compute again",
      1);
}

}  // namespace prof::analyze
