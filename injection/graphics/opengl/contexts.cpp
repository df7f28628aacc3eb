#include "injection/graphics/opengl/contexts.hpp"

#include "injection/libraries/recorder.hpp"

namespace prof::opengl {

__thread Context* t_context;

namespace {

// Contexts that find no place are not told apart, and their GPU work is not measured.
constexpr std::size_t kMaxContexts = 32;
constinit Context g_contexts[kMaxContexts]{};
constinit std::atomic<std::uint32_t> g_numbers{0};

Context* find(Word handle) {
  for (Context& each : g_contexts)
    if (each.handle.load(std::memory_order_acquire) == handle) return &each;
  return nullptr;
}

// The handle is set last, so that other threads see a complete context (acquire in find()).
Context* add(const Function& function, Word handle) {
  for (Context& each : g_contexts) {
    Word none = 0;
    constexpr Word kReserved = ~Word{0};
    if (!each.handle.compare_exchange_strong(none, kReserved, std::memory_order_acquire)) continue;
    each.is_destroyed.store(false, std::memory_order_relaxed);
    each.is_egl = function.is_egl();
    each.is_making_list = false;
    each.number = g_numbers.fetch_add(1, std::memory_order_relaxed) + 1;
    each.flags = prof_graphics_flags();
    each.depth = 0;
    each.gpu.clear();
    each.handle.store(handle, std::memory_order_release);
    return &each;
  }
  return nullptr;
}

void release(Context& context) {
  context.is_in_use.store(false, std::memory_order_relaxed);
  if (context.is_destroyed.load(std::memory_order_relaxed))
    context.handle.store(0, std::memory_order_release);
}

}  // namespace

void make_current(const Function& function, Word handle) {
  if (t_context != nullptr && t_context->handle.load(std::memory_order_relaxed) == handle) return;
  if (t_context != nullptr) release(*t_context);
  t_context = nullptr;
  if (handle == 0 || prof_graphics_flags == nullptr) return;
  Context* const context = find(handle);
  t_context = context != nullptr ? context : add(function, handle);
  if (t_context != nullptr) t_context->is_in_use.store(true, std::memory_order_relaxed);
}

void destroy_context(Word handle) {
  Context* const context = handle == 0 ? nullptr : find(handle);
  if (context == nullptr) return;
  context->is_destroyed.store(true, std::memory_order_relaxed);
  if (!context->is_in_use.load(std::memory_order_relaxed))
    context->handle.store(0, std::memory_order_release);
}

}  // namespace prof::opengl
