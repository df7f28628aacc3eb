// Decides where a call of a CUPTI function goes that the program, or a library of it, has made.
#pragma once

#include <cupti.h>

#include <atomic>

#include "injection/cuda/clients/client.hpp"

struct link_map;

namespace prof::cuda::clients {

enum class Route {
  kReal,       // to the library that the caller is linked to, because prof does not trace CUDA here
  kClient,     // to prof
  kForkChild,  // nowhere, because CUPTI does not work in the child of a process that uses CUDA
};

// Returns the route. `begins` is true if a client may begin to use CUPTI with this call, perhaps
// before cuInit. Then our tracer starts first.
Route route(bool begins);

// The code that calls.
struct Caller {
  Client* client;  // null: libcupti itself, or one client too many
  bool is_cupti;
};
Caller caller_at(const void* code);

// True if the calls of clients go through prof in this session.
bool is_shared();

// A function of the libcupti to which the caller is linked.
struct RealFunction {
  std::atomic<const void*> library;  // the caller for which the function was looked up
  std::atomic<void*> address;

  void* get(const char* name, const void* code);
};

// A function of the libcupti that prof uses, which CUDA's older headers do not declare.
struct OwnFunction {
  std::atomic<void*> address;

  void* get(const char* name);
};

// False if code of the program must not use the GPU's counters, because prof does. If it may, prof
// does not from now on (counters.cpp).
bool may_count(const void* code);

// Returns any loaded libcupti; null if there is none.
void* loaded_cupti(const link_map* caller);
// True if a libcupti is loaded that the code can call.
bool has_cupti(const void* code);

}  // namespace prof::cuda::clients
