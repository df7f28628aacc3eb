#include "injection/core/before_exit.hpp"

#include <atomic>

namespace prof::core {

namespace {
std::atomic<void (*)()> g_handler;
}

void set_before_exit(void (*handler)()) { g_handler.store(handler, std::memory_order_release); }

void before_exit() {
  if (const auto handler = g_handler.load(std::memory_order_acquire)) handler();
}

}  // namespace prof::core
