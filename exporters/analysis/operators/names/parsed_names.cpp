#include "exporters/analysis/operators/names/parsed_names.hpp"

namespace prof::operators {

ParsedName ParsedNames::parse(std::string_view name) {
  const NamedRange named = classify(name);
  const std::string_view sources = named.text.sources;
  return {.kind = named.kind,
          .is_parsed = true,
          .name = number_of(named.name),
          .sizes = number_of(named.text.sizes),
          .arguments = number_of(named.text.arguments),
          .sources = sources.empty() ? 0 : static_cast<std::uint32_t>(sources.data() - name.data()),
          .sequence = named.text.sequence,
          .op_id = named.text.op_id};
}

void ParsedNames::parse_all(const events::RangeTree& tree) {
  for (std::size_t i = 0; i < names_.size(); ++i) (void)of(tree, static_cast<std::int32_t>(i));
}

std::int32_t ParsedNames::number_of(std::string_view text) {
  const auto [number, is_new] =
      numbers_.try_emplace(text, static_cast<std::int32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return number->second;
}

}  // namespace prof::operators
