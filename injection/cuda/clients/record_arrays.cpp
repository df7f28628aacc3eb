#include "injection/cuda/clients/record_arrays.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "injection/cuda/clients/host.hpp"

namespace prof::cuda::clients {

namespace {

// Returns a function of the program's heap, which clients and CUPTI use. prof has no heap.
template <class Function>
Function* heap_function(std::atomic<Function*>& known, const char* name) {
  Function* found = known.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = reinterpret_cast<Function*>(look_up(RTLD_DEFAULT, name));
    known.store(found, std::memory_order_relaxed);
  }
  return found;
}

constinit std::atomic<void* (*)(std::size_t)> g_malloc{nullptr};
constinit std::atomic<void (*)(void*)> g_free{nullptr};

std::uint32_t* copy_of(const std::uint32_t* ports, std::uint32_t count) {
  auto* const allocate = heap_function(g_malloc, "malloc");
  if (ports == nullptr || allocate == nullptr) return nullptr;
  const std::size_t bytes = count * sizeof(std::uint32_t);
  void* const copy = allocate(bytes);
  return copy == nullptr ? nullptr : static_cast<std::uint32_t*>(std::memcpy(copy, ports, bytes));
}

}  // namespace

void copy_arrays(std::uint8_t* record) {
  auto& link = *reinterpret_cast<v2::NvLink*>(record);
  for (std::uint32_t*& ports : link.ports) ports = copy_of(ports, link.links);
}

void free_arrays(const CUpti_Activity& record) {
  auto* const release = heap_function(g_free, "free");
  if (release == nullptr) return;
  for (std::uint32_t* ports : reinterpret_cast<const v2::NvLink&>(record).ports) release(ports);
}

}  // namespace prof::cuda::clients
