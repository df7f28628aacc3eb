#include "injection/python/operators/operator_observer.hpp"

#include <atomic>

#include "injection/core/doors.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/core/text.hpp"

namespace prof::python {

namespace {

constexpr char kDomain[] = "PyTorch operators";
// The payload of a range: the sequence number + 1 in the low bits, then the number of the thread
// whose sequence numbers these are (0: unknown).
constexpr unsigned kSequenceBits = 40;
constexpr std::uint64_t kMaxThreads = 1 << 20;

TorchFunctions g_torch;
TorchLayout g_layout;
PROF_SELDOM constinit TorchTypes g_types{};
const void* g_domain;

// ---- Texts that the collector knows, by key

// `check` is key ^ text, so an entry that two threads write at once is not valid.
struct KnownText {
  std::atomic<std::uint64_t> check;
  std::atomic<std::uint64_t> text;
};
constexpr std::size_t kKnownTexts = 16384;
constinit core::LazyArray<KnownText, kKnownTexts> g_known;

// A program whose numbers always differ gets no more texts with numbers than that.
constexpr std::uint32_t kMaxTextsWithValues = 32768;
constinit std::atomic<std::uint32_t> g_new_texts;

std::uint64_t text_of(const void* function) {
  const bool has_values = g_new_texts.load(std::memory_order_relaxed) < kMaxTextsWithValues;
  const ArgumentText arguments(g_layout, g_types, function, g_torch.name(function), has_values);
  KnownText* const all = g_known.get();
  if (all == nullptr) return arguments.intern().text;
  const std::uint64_t key = arguments.key();
  KnownText& known = all[key % kKnownTexts];
  std::uint64_t text = known.text.load(std::memory_order_relaxed);
  if ((known.check.load(std::memory_order_relaxed) ^ text) == key &&
      core::g_sent_strings.contains(text))
    return text;
  const ArgumentText::Interned interned = arguments.intern();
  text = interned.text;
  if (interned.is_new) g_new_texts.fetch_add(1, std::memory_order_relaxed);
  known.text.store(text, std::memory_order_relaxed);
  known.check.store(key ^ text, std::memory_order_relaxed);
  return text;
}

// ---- Callbacks

void nothing(Context*) {}
constexpr void (*kDestructors[])(Context*) = {nothing, nothing};
constinit Context g_pushed{kDestructors};  // what `begin` returns if it pushed a range

ContextPointer begin(const void* function, std::uint64_t thread) {
  // An asynchronous function may end on another thread, after ranges that contain it.
  if (core::is_dormant() || g_torch.is_async(function)) return ContextPointer(nullptr);
  const std::uint64_t sequence = word_at(function, g_layout.sequence) + 1;
  const bool has_sequence = sequence != 0 && sequence >> kSequenceBits == 0;
  const std::uint64_t counted_by = thread < kMaxThreads ? thread << kSequenceBits : 0;
  core::push_range({.domain = g_domain, .text = text_of(function), .color = 0},
                   has_sequence ? sequence | counted_by : 0);
  return ContextPointer(&g_pushed);
}

ContextPointer begin_operator(const void* function) { return begin(function, g_torch.thread()); }

// A node of the backward pass has the sequence number of its operator in the forward pass.
ContextPointer begin_node(const void* function) {
  return begin(function, word_at(function, g_layout.forward_thread));
}

void end(const void*, Context* context) {
  if (context != nullptr) core::pop_range(g_domain);
}

// ---- The test of the layout

PROF_SELDOM constinit LayoutFinder g_test;
std::uint64_t g_test_handle;

ContextPointer see_in_test(const void* function) {
  g_test.see(function);
  return ContextPointer(nullptr);
}

void see_no_end(const void*, Context*) {}

template <class Function>
bool find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool find_functions(TorchFunctions& torch) {
  void* const library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  const bool has_all = find(library, torch.add_global_callback,
                            "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE") &&
                       find(library, torch.add_thread_callback,
                            "_ZN2at22addThreadLocalCallbackENS_22RecordFunctionCallbackE") &&
                       find(library, torch.remove_callback, "_ZN2at14removeCallbackEm") &&
                       find(library, torch.name, "_ZNK2at14RecordFunction4nameEv") &&
                       find(library, torch.is_async, "_ZNK2at14RecordFunction7isAsyncEv") &&
                       find(library, torch.thread, "_ZN2at14RecordFunction15currentThreadIdEv");
  dlclose(library);  // the interpreter keeps it loaded
  return has_all;
}

}  // namespace

bool begin_layout_test() {
  if (!find_functions(g_torch)) return false;
  g_test = {};
  Callback callback{.start = see_in_test, .end = see_no_end, .needs_ids = true};
  callback.scopes[kFunction] = true;
  g_test_handle = g_torch.add_thread_callback(callback);
  return true;
}

void expect_call(KnownCall call, std::uint64_t first, std::uint64_t second) {
  g_test.expect(call, first, second);
}

bool end_layout_test() {
  g_torch.remove_callback(g_test_handle);
  return g_test.finish(g_layout);
}

void name_type(std::size_t number, const char* name) {
  if (number < kMaxTypes) core::Text(g_types.names[number]).add(name);
}

void observe_operators(const TensorLayout& tensors) {
  g_layout.sizes = tensors.sizes;
  g_layout.type = tensors.type;
  g_layout.dense = tensors.dense;
  g_domain = core::range_domain(kDomain);
  Callback operators{.start = begin_operator, .end = end};
  for (const Scope scope : {kFunction, kScriptFunction, kCustomClass, kUserScope,
                            kStaticRuntimeOperator, kStaticRuntimeModel})
    operators.scopes[scope] = true;
  g_torch.add_global_callback(operators);
  Callback nodes{.start = begin_node, .end = end};
  nodes.scopes[kBackwardFunction] = true;
  g_torch.add_global_callback(nodes);
}

}  // namespace prof::python
