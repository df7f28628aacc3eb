// The events of an OpenMP thread in any order: begins without ends, ends without begins, tasks that
// the thread has never begun. Every span has to end after it began, and within the recording.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "collector/ingest/openmp/openmp_thread.hpp"
#include "tests/fuzz/input.hpp"

namespace prof::fuzz {
namespace {

void check(const ingest::OpenMpSpan& span, std::int64_t now) {
  if (span.start > span.end || span.start < 0 || span.end > now) __builtin_trap();
}

void run(Input input) {
  std::int64_t now = 0;
  // A span that goes on after a task begins some ns later, and may end there at once.
  constexpr std::int64_t kLater = 1 << 20;
  ingest::OpenMpThread thread([&](const ingest::OpenMpSpan& span) { check(span, now + kLater); },
                              [&](std::uint64_t parallel) -> std::optional<std::int64_t> {
                                if (parallel % 2 == 0) return {};
                                return static_cast<std::int64_t>(parallel);
                              });
  while (!input.empty()) {
    const auto [kind, event, aux, number] = input.take<std::array<std::uint8_t, 4>>();
    now += kind >> 4;
    const std::uint64_t task = number % 8 | (number >= 128 ? wire::kOpenMpExplicit : 0);
    const wire::RecordHeader header{0, {}, static_cast<std::uint8_t>(event % 16), aux % 12U};
    if (kind % 2 == 0)
      thread.begin({header, 0, number % 4U, task, number % 3U, 0}, now);
    else
      thread.end({header, 0, event % 16 == 7 || event % 16 == 8 ? number % 3U : task}, now);
  }
  thread.finish(now);
}

}  // namespace
}  // namespace prof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prof::fuzz::run(prof::fuzz::Input(data, size));
  return 0;
}
