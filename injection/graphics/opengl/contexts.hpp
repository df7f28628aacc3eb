// The contexts of OpenGL that the process uses, and which one is current in a thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "injection/graphics/opengl/functions.hpp"
#include "injection/graphics/opengl/gpu_times.hpp"

namespace prof::opengl {

struct Context {
  std::atomic<Word> handle;     // 0: free
  std::atomic<bool> is_in_use;  // current in a thread
  std::atomic<bool> is_destroyed;
  bool is_egl;
  bool is_making_list;
  std::uint32_t number;      // 1: the first context of the process
  std::uint32_t flags;       // wire::kGraphics...
  Group groups[kMaxGroups];  // in progress
  std::uint32_t depth;       // may exceed kMaxGroups
  GpuTimes gpu;              // used by the thread in which the context is current
};

// The context that is current in the calling thread; null: none, or one that found no place.
extern __thread Context* t_context __attribute__((tls_model("initial-exec"), visibility("hidden")));

// A context has become current, or none has (handle 0). `function` made it current.
void make_current(const Function& function, Word handle);

// The program destroys a context. It lives on while it is current somewhere.
void destroy_context(Word handle);

}  // namespace prof::opengl
