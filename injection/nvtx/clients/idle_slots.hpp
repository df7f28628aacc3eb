// The pointers of clients to functions that are called often, in sessions on demand. While nobody
// collects, they are null, and the client's calls return by themselves, as they do without a tool.
// A thread that waits for the collector puts prof's functions in when a collection begins, and null
// when it has ended. It starts with the first client in a process with threads. A process with one
// thread keeps that, and prof's functions, which look whether somebody collects.
#pragma once

#include "injection/nvtx/abi.hpp"

namespace prof::nvtx {

// A pointer of a client, and the function of prof that it leads to.
struct IdleSlot {
  FunctionPointer* place;
  FunctionPointer function;
};

// The client with these callbacks has been given these functions. Called while it starts, in
// sessions on demand.
void follow_collections(const ExportCallbacks& callbacks, const IdleSlot* slots, std::size_t count);

}  // namespace prof::nvtx
