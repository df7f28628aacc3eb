// Where a call of a CUPTI function goes that the program, or a library of it, has made.
#pragma once

#include <cupti.h>

#include <atomic>

#include "injection/cuda/clients/client.hpp"

struct link_map;

namespace prof::cuda::clients {

enum class Route {
  kReal,       // to the library that the caller is linked to: prof does not trace CUDA here
  kClient,     // to us
  kForkChild,  // nowhere: CUPTI does not work in the child of a process that uses CUDA
};

// `begins`: with this call a client may begin to use CUPTI, perhaps before cuInit. Then our tracer
// starts first.
Route route(bool begins);

// Whose code calls.
struct Caller {
  Client* client;  // null: libcupti itself, or one client too many
  bool is_cupti;
};
Caller caller_at(const void* code);

// Do clients go through us in this session?
bool is_shared();

// A function of the libcupti that the caller is linked to.
struct RealFunction {
  std::atomic<const void*> library;  // the caller for which it was looked up
  std::atomic<void*> address;

  void* get(const char* name, const void* code);
};

// Any libcupti that is loaded; null if there is none.
void* loaded_cupti(const link_map* caller);

}  // namespace prof::cuda::clients
