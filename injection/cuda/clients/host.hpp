// The interface of the clients to our own tracer, which is one of the users of CUPTI.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::cuda::clients {

extern std::atomic<bool> g_present;

// True if another user of CUPTI has ever made a request in this process. Then callbacks and buffers
// go through the functions below.
inline bool are_present() { return g_present.load(std::memory_order_relaxed); }

// Callbacks of the domains up to this one go only to our tracer. With clients there are no such
// domains. Otherwise these are the API's domains, which are the first two.
extern std::atomic<std::uint32_t> g_direct_domains;
inline std::uint32_t direct_domains() { return g_direct_domains.load(std::memory_order_relaxed); }
static_assert(CUPTI_CB_DOMAIN_DRIVER_API == 1 && CUPTI_CB_DOMAIN_RUNTIME_API == 2);

// From now on the functions of g_cupti that our tracer calls to enable something take effect for
// our tracer alone. CUPTI gets the union of the requests of our tracer and the clients. Called when
// the functions were found.
void share();

// Looks up a symbol by the real dlsym: the process's dlsym finds our functions under CUPTI's names.
// Returns null if the symbol is not found.
void* look_up(void* library, const char* name);

// Called when prof has the subscription: clients are served from now on.
void serve();
// Called when the subscription has ended.
void stop_serving();

// The callback of CUPTI. Calls trace_callback() for our tracer.
void dispatch(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

// Writes the records of one of CUPTI's buffers that our tracer wants, and copies records to the
// clients that asked for them. Returns the reason why the last record is the last.
CUptiResult deliver(std::uint8_t* memory, std::size_t valid);
// True if our tracer has enabled this kind of record.
bool is_own(CUpti_ActivityKind kind);
// Permits that rows of this function are made from CUPTI's records if CUPTI writes these for a
// client anyway.
void offer_call_records(CUpti_CallbackDomain domain, CUpti_CallbackId id);
// True if a library uses CUPTI, or one is loaded that probably will.
bool may_have_clients();
// True if a client has asked for the latencies of launches.
bool want_latencies();
// Counts records that CUPTI has dropped for all users.
void count_dropped(std::size_t records);

}  // namespace prof::cuda::clients
