#include "collector/ingest/cpu/system_call_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace prof::ingest {

namespace {

struct Name {
  std::uint32_t number;
  const char* text;
};
constexpr Name kNames[] = {
#define SYSTEM_CALL(number, name) {number, #name},
#if defined(__x86_64__)
#include "collector/ingest/cpu/system_calls.def"
#else
#include "collector/ingest/cpu/system_calls_aarch64.def"
#endif
#undef SYSTEM_CALL
};

constexpr bool ascends() {
  for (std::size_t i = 1; i < std::size(kNames); ++i)
    if (kNames[i - 1].number >= kNames[i].number) return false;
  return true;
}
static_assert(ascends(), "binary search needs ascending numbers");

}  // namespace

std::string system_call_name(std::uint32_t number, bool is_32_bit) {
  if (is_32_bit) return fmt::format("syscall_{} (32-bit)", number);
  const auto* found =
      std::lower_bound(std::begin(kNames), std::end(kNames), number,
                       [](const Name& name, std::uint32_t wanted) { return name.number < wanted; });
  if (found == std::end(kNames) || found->number != number)
    return fmt::format("syscall_{}", number);
  return found->text;
}

}  // namespace prof::ingest
