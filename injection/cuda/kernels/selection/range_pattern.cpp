#include "injection/cuda/kernels/selection/range_pattern.hpp"

#include <cstring>

#include "common/wire/hash.hpp"

namespace prof::cuda::kernels {

namespace {

using PartKind = RangePattern::Kind;

// Does the pattern from this part on match the ranges from `at` on?
bool matches_from(const RangePattern& pattern, std::size_t part, const std::uint64_t* ranges,
                  std::size_t at, std::size_t count) {
  if (part == pattern.num_parts) return !pattern.is_at_top || at == count;
  const RangePattern::Part& wanted = pattern.parts[part];
  if (wanted.kind == PartKind::kAny) {
    for (; at <= count; ++at)
      if (matches_from(pattern, part + 1, ranges, at, count)) return true;
    return false;
  }
  if (at == count || (wanted.kind == PartKind::kName && ranges[at] != wanted.text)) return false;
  return matches_from(pattern, part + 1, ranges, at + 1, count);
}

RangePattern::Part part_of(const char* text, std::size_t length) {
  if (*text == '*') return {PartKind::kAny, 0};
  if (*text == '+') return {PartKind::kOne, 0};
  return {PartKind::kName, wire::hash_text(text + 1, length - 1)};  // after "="
}

}  // namespace

bool parse_pattern(const char* text, RangePattern& pattern) {
  const std::size_t domain = std::strcspn(text, "\t");
  pattern.domain = domain == 0 ? 0 : wire::hash_text(text, domain);
  text += domain;
  if (*text != '\t') return false;
  for (++text; *text != '\t' && *text != '\0'; ++text) {
    pattern.is_at_bottom |= *text == '[';
    pattern.is_at_top |= *text == ']';
  }
  while (*text == '\t') {
    const std::size_t length = std::strcspn(++text, "\t");
    if (length == 0 || pattern.num_parts == RangePattern::kMostParts) return false;
    pattern.parts[pattern.num_parts++] = part_of(text, length);
    text += length;
  }
  return pattern.num_parts != 0;
}

bool matches(const RangePattern& pattern, const std::uint64_t* ranges, std::size_t count) {
  for (std::size_t first = 0; first <= count; ++first) {
    if (matches_from(pattern, 0, ranges, first, count)) return true;
    if (pattern.is_at_bottom) break;
  }
  return false;
}

}  // namespace prof::cuda::kernels
