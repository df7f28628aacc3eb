#include "injection/core/record/call.hpp"

#include <atomic>

#include "common/wire/chunk.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/stack_copy.hpp"
#include "injection/core/record/strings.hpp"

namespace prof::core {

namespace {

// The other functions whose names the collector knows. Fork children inherit the table, which is
// correct: the collector has one table for the session, and every process loads the same library.
PROF_SELDOM std::atomic<bool> g_named[wire::kMaxFunctions - wire::kCudaRuntimeFunctions];

std::atomic<bool>& named(std::uint32_t function) {
  return function < wire::kCudaRuntimeFunctions ? g_process.arena->named[function]
                                                : g_named[function - wire::kCudaRuntimeFunctions];
}

}  // namespace

bool is_named(std::uint32_t function) { return named(function).load(std::memory_order_acquire); }

void forget_sent_names() {
  for (std::atomic<bool>& each : g_named) each.store(false, std::memory_order_relaxed);
}

[[gnu::cold, gnu::noinline]] void send_name(Function function) {
  const std::uint64_t hash = send_string(function.name);
  const bool sent =
      hash != 0 &&
      append(wire::FunctionRecord{
          header_of<wire::FunctionRecord>(wire::RecordType::kFunction, function.id), hash});
  if (sent) named(function.id).store(true, std::memory_order_release);
}

void send_chain(const Call& call, std::uint64_t end, Function function) {
  if (function.id >= wire::kCudaRuntimeFunctions ||
      end - call.start < g_process.osrt_chain_threshold)
    return;
  if (has_feature(wire::kFeaturePythonOsrt)) g_doors.record_python_chain(call.start);
  if (has_feature(wire::kFeatureOsrtStacks))
    send_stack(call.start, g_process.config.osrt_stack_bytes, 0);
}

namespace {

[[gnu::always_inline]] inline void write_call(const Call& call, std::uint64_t end,
                                              Function function, std::int64_t result,
                                              std::uint32_t weight) {
  if (!is_named(function.id)) [[unlikely]]
    send_name(function);
  send_chain(call, end, function);
  const wire::CallRecord record{
      header_of<wire::CallRecord>(wire::RecordType::kCall, function.id, call.level), call.start,
      end, result};
  if (weight == 1) [[likely]]
    append_here(record);
  else
    append_weighted(record, weight);
  if (g_live.early_calls != 0 && live_word() >= wire::kFirstSerial) [[unlikely]]
    count_early_calls();
}

}  // namespace

void record_call(const Call& call, std::uint64_t end, Function function, std::int64_t result) {
  if (has_feature(wire::kFeatureCaptureRange | wire::kFeatureThinning)) [[unlikely]] {
    if (thins()) return record_thinned_call(call, end, function, result);
    if (paused()) return;
  }
  write_call(call, end, function, result, 1);
}

void record_weighted_call(const Call& call, std::uint64_t end, Function function,
                          std::int64_t result, std::uint32_t weight) {
  write_call(call, end, function, result, weight);
}

}  // namespace prof::core
