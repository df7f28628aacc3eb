#include "exporters/analysis/recording/differences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::recording {

namespace {

using Values = std::set<std::string>;

// Returns the values of all recordings that know the respect. Empty: none of them does.
std::optional<Values> values_of(std::span<const Recording> recordings, std::string_view id) {
  std::optional<Values> values;
  for (const Recording& each : recordings)
    if (const auto found = each.find(id); found != each.end()) {
      if (!values) values.emplace();
      values->insert(found->second.begin(), found->second.end());
    }
  return values;
}

std::vector<std::string> shown_values(const Values& values, const Values& other, bool is_list) {
  if (!is_list) return {values.begin(), values.end()};
  std::vector<std::string> own;
  std::ranges::set_difference(values, other, std::back_inserter(own));
  return own;
}

// Texts are short, so that a list of differences stays readable. JSON has the whole values.
std::string side_text(const std::vector<std::string>& values) {
  constexpr std::size_t kMaxLength = 80;
  return values.empty() ? "none"
                        : tables::one_line(fmt::format("{}", fmt::join(values, ", ")), kMaxLength);
}

}  // namespace

std::vector<Difference> differences(std::span<const Recording> before,
                                    std::span<const Recording> after) {
  std::vector<Difference> found;
  for (const Respect& respect : kRespects) {
    const auto first = values_of(before, respect.id);
    const auto second = values_of(after, respect.id);
    if (first && second && *first != *second)
      found.push_back({&respect, shown_values(*first, *second, respect.is_list),
                       shown_values(*second, *first, respect.is_list)});
  }
  return found;
}

const Difference* other_gpu(const std::vector<Difference>& differences) {
  const auto found = std::ranges::find_if(
      differences, [](const Difference& each) { return each.respect->id == kGpu; });
  return found == differences.end() ? nullptr : &*found;
}

std::string text_of(const Difference& difference) {
  return fmt::format("{} ({} → {})", difference.respect->title, side_text(difference.before),
                     side_text(difference.after));
}

std::string text_of(const std::vector<Difference>& differences) {
  if (differences.empty()) return "";
  std::vector<std::string> texts;
  for (const Difference& each : differences) texts.push_back(text_of(each));
  return fmt::format("The reports differ in: {}.", fmt::join(texts, ", "));
}

}  // namespace prof::recording
