// What our own tracer needs of the clients' side: it is one of those who ask CUPTI for something.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::cuda::clients {

extern std::atomic<bool> g_present;

// Has another user of CUPTI ever asked for something in this process? Then callbacks and buffers
// go through the functions below.
inline bool are_present() { return g_present.load(std::memory_order_relaxed); }

// Callbacks of the domains up to this one are our tracer's alone. There are none if there are
// clients. Otherwise these are the API's domains, which are the first two.
extern std::atomic<std::uint32_t> g_direct_domains;
inline std::uint32_t direct_domains() { return g_direct_domains.load(std::memory_order_relaxed); }
static_assert(CUPTI_CB_DOMAIN_DRIVER_API == 1 && CUPTI_CB_DOMAIN_RUNTIME_API == 2);

// From now on the functions of g_cupti that our tracer calls to enable something act for our tracer
// alone, and CUPTI is asked for what our tracer or a client needs. Called when the functions were
// found.
void share();

// The real dlsym: the process's own finds our functions under CUPTI's names. Null if not found.
void* look_up(void* library, const char* name);

// We have the subscription: clients are served from now on.
void serve();
// The subscription is over.
void stop_serving();

// CUPTI's callback. Calls trace_callback() for our tracer.
void dispatch(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

// Writes the records of one of CUPTI's buffers that our tracer wants, and copies them to the
// clients that asked for them. Returns why the last record is the last.
CUptiResult deliver(std::uint8_t* memory, std::size_t valid);
// Is it a kind of record that our tracer has enabled?
bool is_own(CUpti_ActivityKind kind);
// Rows of this function may be made of CUPTI's records if a client has these recorded anyway.
void offer_call_records(CUpti_CallbackDomain domain, CUpti_CallbackId id);
// CUPTI has dropped records for everybody.
void count_dropped(std::size_t records);

}  // namespace prof::cuda::clients
