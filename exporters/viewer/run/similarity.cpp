// api/similar: the ranks in an order in which similar ones are beside each other.
#include "exporters/viewer/run/similarity.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "exporters/viewer/run/heat.hpp"
#include "exporters/viewer/run/run_answers.hpp"

namespace prof::view {

namespace {

constexpr std::size_t kColumns = 32;  // of the picture that is compared

class SimilarOrder {
 public:
  explicit SimilarOrder(const std::vector<std::vector<float>>& rows)
      : rows_(rows), order_(rows.size()), projections_(rows.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    sort(order_, 0);
  }
  std::vector<std::size_t> take() { return std::move(order_); }

 private:
  using Group = std::span<std::size_t>;
  using Vector = std::vector<float>;

  static float product(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0F);
  }

  void sort(Group group, int depth) {
    constexpr int kMaxDepth = 64;
    if (group.size() < 3 || depth == kMaxDepth) return;
    const Vector mean = mean_of(group);
    Vector direction = farthest(group, mean);
    // Rows are alike if their values differ by less than a hundredth.
    constexpr float kAlike = 1e-4F;
    if (product(direction, direction) <= kAlike * static_cast<float>(direction.size())) return;
    for (int round = 0; round < 8; ++round) direction = nearer_to_main(group, mean, direction);
    const float origin = product(mean, direction);
    for (const std::size_t row : group) projections_[row] = product(rows_[row], direction) - origin;
    const auto is_above = [&](std::size_t row) { return projections_[row] > 0; };
    const auto above = static_cast<std::size_t>(std::ranges::count_if(group, is_above));
    if (above == 0 || above == group.size()) return;
    const bool first = above * 2 == group.size() ? is_above(group[0]) : above * 2 < group.size();
    const auto second = std::stable_partition(
        group.begin(), group.end(), [&](std::size_t row) { return is_above(row) == first; });
    const auto count = static_cast<std::size_t>(second - group.begin());
    sort(group.first(count), depth + 1);
    sort(group.subspan(count), depth + 1);
  }

  Vector mean_of(Group group) const {
    Vector mean(rows_[group[0]].size());
    for (const std::size_t row : group)
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += rows_[row][i];
    for (float& value : mean) value /= static_cast<float>(group.size());
    return mean;
  }

  // Returns the largest difference of a row from the mean.
  Vector farthest(Group group, const Vector& mean) const {
    Vector result(mean.size());
    float largest = -1;
    for (const std::size_t row : group) {
      Vector difference(mean.size());
      for (std::size_t i = 0; i < mean.size(); ++i) difference[i] = rows_[row][i] - mean[i];
      const float size = product(difference, difference);
      if (size <= largest) continue;
      largest = size;
      result = std::move(difference);
    }
    return result;
  }

  // One step of a power iteration, to the direction in which the rows differ most.
  Vector nearer_to_main(Group group, const Vector& mean, const Vector& direction) const {
    Vector result(mean.size());
    const float origin = product(mean, direction);
    for (const std::size_t row : group) {
      const float along = product(rows_[row], direction) - origin;
      for (std::size_t i = 0; i < mean.size(); ++i) result[i] += along * (rows_[row][i] - mean[i]);
    }
    const float largest = *std::ranges::max_element(
        result, {}, [](float value) { return value < 0 ? -value : value; });
    if (largest == 0) return direction;
    const float scale = largest < 0 ? -largest : largest;
    for (float& value : result) value /= scale;
    return result;
  }

  const std::vector<std::vector<float>>& rows_;
  std::vector<std::size_t> order_;
  std::vector<float> projections_;  // by row
};

}  // namespace

std::vector<std::size_t> order_of_similar(const std::vector<std::vector<float>>& rows) {
  return SimilarOrder(rows).take();
}

Outcome<Answer> answer_similar(const RunModel& model, const Parameters&) {
  const auto state = model.state();
  if (!state->ranks) return fault(404, "the reports have not been read yet");
  Json json;
  json.begin_object().key("order").begin_list();
  for (const std::size_t rank : order_of_similar(shares_of_ranks(*state, kColumns)))
    json.value(rank);
  json.end_list().end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
