// The workers of the process, and those at the other end of its endpoints.
#pragma once

#include "injection/ucx/ucx_functions.hpp"

namespace prof::ucx {

// Finds the functions that workers are asked with, once, where `function` of UCX is.
void find_functions(void* function);

// The program has made a worker.
void define_worker(Word worker);

// The program has made an endpoint, or will free it.
void connect(Word endpoint, Word params);
void disconnect(Word endpoint);

// Returns the uid of the worker at the other end, or 0 if it is not known: the endpoint was made
// from the address of a socket.
std::uint64_t peer_of(Word endpoint);

}  // namespace prof::ucx
