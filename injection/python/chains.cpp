// Reads the Python frames of a thread during a call. The thread itself reads them, so its frames do
// not change meanwhile, whether or not it holds the GIL. Of Python's API only two functions are
// called, which return a thread-local variable.
#include "common/wire/chain_records.hpp"
#include "common/wire/hash.hpp"
#include "common/wire/python_frames/python_stack.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/sent_hashes.hpp"
#include "injection/core/symbols/next_symbol.hpp"
#include "injection/python/annotations.hpp"
#include "injection/python/code.hpp"
#include "injection/python/gil.hpp"
#include "injection/python/interpreter.hpp"
#include "injection/python/own_memory.hpp"

namespace prof::python {

namespace {

Interpreter g_interpreter;
std::atomic<bool> g_found;

PROF_SELDOM core::SentHashes<2048> g_sent_chains;

struct Chain {
  python_frames::PythonFrame frames[python_frames::kMaxPythonFrames];
  std::uint32_t count = 0;
  std::uint64_t hash = 0;
  std::uint8_t flags = 0;
};

// True while the interpreter is torn down: thread states are freed although threads may still be
// inside a call.
bool is_finalizing() {
  return OwnMemory::load<std::uint64_t>(g_interpreter.runtime +
                                        g_interpreter.layout.runtime_finalizing) != 0;
}

std::uint64_t thread_state() {
  if (is_finalizing()) return 0;
  void* state = g_interpreter.current_state == nullptr ? nullptr : g_interpreter.current_state();
  if (state == nullptr) state = g_interpreter.own_state();
  return reinterpret_cast<std::uint64_t>(state);
}

void add(Chain& chain, const python_frames::PythonFrame& frame) {
  chain.frames[chain.count++] = frame;
  chain.hash = wire::detail::fold(chain.hash ^ fingerprint(g_interpreter.layout, frame.code),
                                  wire::detail::kMix2 + (std::uint64_t{frame.instruction} << 1 |
                                                         (frame.below_native ? 1U : 0U)));
}

void read_chain(std::uint64_t state, Chain& chain) {
  OwnMemory memory;
  const auto end = python_frames::walk_python_stack(
      memory, g_interpreter.layout, g_interpreter.code_type, state, python_frames::kMaxPythonFrames,
      [&](const python_frames::PythonFrame& frame) { add(chain, frame); });
  if (end == python_frames::PythonStackEnd::kMaxDepth) chain.flags = wire::kChainMaxDepth;
  if (end == python_frames::PythonStackEnd::kBroken) chain.flags = wire::kChainBroken;
  chain.hash = wire::detail::fold(chain.hash ^ chain.count, wire::detail::kMix1 ^ chain.flags);
  if (chain.hash == 0) chain.hash = 1;
}

// Sends the functions before the chain, so that a reader of the chain knows them.
[[gnu::cold, gnu::noinline]] bool publish(const Chain& chain) {
  wire::ChainFrame frames[python_frames::kMaxPythonFrames];
  for (std::uint32_t i = 0; i < chain.count; ++i) {
    frames[i] = {describe(g_interpreter.layout, chain.frames[i].code), chain.frames[i].instruction,
                 chain.frames[i].below_native ? wire::FrameKind::kPythonBelowNative
                                              : wire::FrameKind::kPython};
    if (frames[i].code == 0) return false;
  }
  const wire::ChainRecord record{
      core::header_of<wire::ChainRecord>(wire::RecordType::kChain, chain.count, chain.flags),
      chain.hash};
  const auto bytes = chain.count * static_cast<std::uint32_t>(sizeof(wire::ChainFrame));
  if (!core::append_with_data(record, frames, bytes)) return false;
  g_sent_chains.add(chain.hash);
  return true;
}

void record_chain(std::uint64_t start) {
  const std::uint64_t state = thread_state();
  if (state == 0) return;
  Chain chain;
  read_chain(state, chain);
  if (chain.count == 0) return;
  if (!g_sent_chains.contains(chain.hash) && !publish(chain)) return;
  core::append(wire::EventChainRecord{
      core::header_of<wire::EventChainRecord>(wire::RecordType::kEventChain), start, chain.hash});
}

bool wants_chains() {
  return core::has_feature(wire::kFeaturePythonCuda) || core::has_feature(wire::kFeaturePythonOsrt);
}

// Reports where the interpreter is, because the collector samples Python from outside. For a fork
// child the collector uses the parent's interpreter.
void publish_interpreter() {
  wire::ProcessSlot& slot = core::own_slot();
  slot.python_code_type.store(g_interpreter.code_type, std::memory_order_relaxed);
  // The release pairs with the collector's acquire: a reader also sees the word stored before.
  slot.python_runtime.store(g_interpreter.runtime | std::uint64_t{g_interpreter.layout.version}
                                                        << wire::kPythonVersionShift,
                            std::memory_order_release);
}

void search() {
  if (g_found.load(std::memory_order_acquire)) return;
  if (!find_interpreter(g_interpreter)) return;
  g_found.store(true, std::memory_order_release);
  if (core::has_feature(wire::kFeaturePythonSampling)) publish_interpreter();
  if (wants_chains()) core::g_doors.record_python_chain.open(record_chain);
}

// Runs after core's constructor, which joins the session.
[[gnu::constructor(102)]] void on_load() {
  if (core::g_process.arena == nullptr) return;
  if (core::has_feature(wire::kFeaturePythonAnnotations)) annotate_at_start();
  if (core::has_feature(wire::kFeaturePythonGil)) watch_gil();
  if (!wants_chains() && !core::has_feature(wire::kFeaturePythonSampling)) return;
  core::g_doors.find_python.open(search);
  if (core::may_be_defined("_PyRuntime")) search();
}

}  // namespace
}  // namespace prof::python

// Sets up chains of calls and samples. Annotations and the lock's ranges would have to be set up
// before the interpreter.
void prof::core::attach_python() {
  using namespace prof::python;
  g_sent_chains.clear();
  forget_codes();
  if (!wants_chains() && !has_feature(wire::kFeaturePythonSampling)) return;
  g_doors.find_python.open(search);
  g_found.store(false, std::memory_order_relaxed);
  search();
}
