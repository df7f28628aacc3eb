// Target constructs of libgomp: what runs on a device, and what moves data for it.
#include "injection/openmp/gomp_functions.hpp"
#include "injection/openmp/gomp_thread.hpp"

namespace prof::openmp {

namespace {

// Data that a construct maps, as libgomp gets it: arrays with an element for each.
struct Mapped {
  Word count, sizes, kinds;

  // Returns the bytes that are copied to the device, and from it.
  std::uint64_t copied() const {
    const auto* const size = reinterpret_cast<const std::size_t*>(sizes);
    const auto* const kind = reinterpret_cast<const std::uint16_t*>(kinds);
    std::uint64_t bytes = 0;
    for (Word i = 0; i < count; ++i) {
      // 1: to the device, 2: from it, 3: both; others are pointers, values, releases.
      constexpr std::size_t kTimes[16] = {0, 1, 1, 2};
      bytes += size[i] * kTimes[kind[i] % 16];
    }
    return bytes;
  }
};

template <class... Words>
[[gnu::always_inline]] inline Word run(const GompTarget& target, wire::OpenMpTarget kind,
                                       Word device, const Mapped& mapped, const void* code,
                                       Words... words) {
  if (!target.is_recorded) return call(target, words...);
  const std::uint32_t what = word_of(kind) | static_cast<std::uint32_t>(device) << 16;
  begin(OpenMpEvent::kTarget, what, current_parallel(), current_task(), mapped.copied(), code);
  const Word result = call(target, words...);
  end(OpenMpEvent::kTarget, what, 0);
  return result;
}

}  // namespace

}  // namespace prof::openmp

using namespace prof::openmp;
using prof::wire::OpenMpTarget;

EXPORTED GOMP_target_ext(Word device, Word body, Word count, Word addresses, Word sizes, Word kinds,
                         Word flags, Word depend, Word arguments) {
  return run(TARGET(GOMP_target_ext), OpenMpTarget::kTarget, device, {count, sizes, kinds}, CALLER,
             device, body, count, addresses, sizes, kinds, flags, depend, arguments);
}

EXPORTED GOMP_target_data_ext(Word device, Word count, Word addresses, Word sizes, Word kinds) {
  return run(TARGET(GOMP_target_data_ext), OpenMpTarget::kEnterData, device, {count, sizes, kinds},
             CALLER, device, count, addresses, sizes, kinds);
}

// libgomp knows which data region ends. It does not say on which device: -1.
EXPORTED GOMP_target_end_data() {
  return run(TARGET(GOMP_target_end_data), OpenMpTarget::kExitData, ~Word{0}, {0, 0, 0}, CALLER);
}

EXPORTED GOMP_target_update_ext(Word device, Word count, Word addresses, Word sizes, Word kinds,
                                Word flags, Word depend) {
  return run(TARGET(GOMP_target_update_ext), OpenMpTarget::kUpdate, device, {count, sizes, kinds},
             CALLER, device, count, addresses, sizes, kinds, flags, depend);
}

EXPORTED GOMP_target_enter_exit_data(Word device, Word count, Word addresses, Word sizes,
                                     Word kinds, Word flags, Word depend) {
  constexpr Word kExit = 2;
  const OpenMpTarget kind =
      (flags & kExit) != 0 ? OpenMpTarget::kExitData : OpenMpTarget::kEnterData;
  return run(TARGET(GOMP_target_enter_exit_data), kind, device, {count, sizes, kinds}, CALLER,
             device, count, addresses, sizes, kinds, flags, depend);
}
