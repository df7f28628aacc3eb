#include "injection/graphics/opengl/groups.hpp"

#include <atomic>
#include <cstring>

#include "common/wire/handshake.hpp"
#include "injection/graphics/opengl/records.hpp"

namespace prof::opengl {

namespace {

constexpr std::size_t kMaxText = 4096;  // longer ones are cut

constinit std::atomic<std::uint32_t> g_group_correlations{0};

// Returns 0 if groups are not recorded now.
std::uint64_t time_of_group(const Context& context) {
  return (context.flags & wire::kGraphicsOpenGlGroups) == 0 ? 0 : prof_begin_library_call(kLibrary);
}

// A text with a length, or without one (negative, or 0 where `zero_is_none`).
std::uint64_t intern(Word text, Word length, bool zero_is_none) {
  const auto* const bytes = reinterpret_cast<const char*>(text);
  const auto given = static_cast<std::int32_t>(length);
  if (bytes == nullptr) return prof_intern_bytes("", 0);
  const bool has_length = given > 0 || (given == 0 && !zero_is_none);
  const std::size_t most = has_length && static_cast<std::size_t>(given) < kMaxText
                               ? static_cast<std::size_t>(given)
                               : kMaxText;
  return prof_intern_bytes(bytes, strnlen(bytes, most));
}

std::uint32_t next_correlation() {
  return g_group_correlations.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

void begin_group(Context& context, Index function, const Word* arguments) {
  if (context.depth++ >= kMaxGroups) return;
  Group& group = context.groups[context.depth - 1];
  group = {};
  if (time_of_group(context) == 0) return;
  const bool is_group = kFunctions[function].kind == Kind::kPush;
  group.text = is_group ? intern(arguments[3], arguments[2], false)
                        : intern(arguments[1], arguments[0], true);
  group.correlation = next_correlation();
  write_group(function, wire::OpenGlGroup::kPush,
              is_group ? static_cast<std::uint32_t>(arguments[0]) : 0,
              {.header = {},
               .time = prof_time(),
               .text = group.text,
               .id = is_group ? static_cast<std::uint32_t>(arguments[1]) : 0,
               .type = 0,
               .severity = 0,
               .correlation = group.correlation,
               .context = context.number,
               .reserved = 0});
  if ((context.flags & wire::kGraphicsOpenGlWorkloads) != 0)
    group.is_measured = context.gpu.begin_group(context, group);
}

void end_group(Context& context, Index function) {
  if (context.depth == 0 || --context.depth >= kMaxGroups) return;
  const Group& group = context.groups[context.depth];
  const std::uint64_t time = time_of_group(context);
  if (group.is_measured) context.gpu.end_group(context, group);
  if (group.correlation == 0 || time == 0) return;
  write_group(function, wire::OpenGlGroup::kPop, 0,
              {.header = {},
               .time = time,
               .text = 0,
               .id = 0,
               .type = 0,
               .severity = 0,
               .correlation = group.correlation,
               .context = context.number,
               .reserved = 0});
}

void mark(const Context& context, Index function, const Word* arguments) {
  const std::uint64_t time = time_of_group(context);
  if (time == 0) return;
  const bool has_details = kFunctions[function].kind == Kind::kMark;
  const auto detail = [&](int index) {
    return has_details ? static_cast<std::uint32_t>(arguments[index]) : 0;
  };
  write_group(function, wire::OpenGlGroup::kMark, detail(0),
              {.header = {},
               .time = time,
               .text = has_details ? intern(arguments[5], arguments[4], false)
                                   : intern(arguments[1], arguments[0], true),
               .id = detail(2),
               .type = detail(1),
               .severity = detail(3),
               .correlation = next_correlation(),
               .context = context.number,
               .reserved = 0});
}

}  // namespace prof::opengl
