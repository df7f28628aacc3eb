// Clients while prof is one of several subscribers of CUPTI. Those that call the functions without
// a subscriber get a subscriber of CUPTI here, and each of their calls becomes the one that has a
// subscriber. Calls with a handle go to CUPTI. The functions stand in for those of client.hpp with
// the same names.
#pragma once

#include "injection/cuda/clients/client.hpp"

namespace prof::cuda::clients::adapter {

CUptiResult subscribe(Client& client, CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                      void* userdata);
CUptiResult subscribe_by_name(Client& client, CUpti_SubscriberHandle* handle,
                              CUpti_CallbackFunc callback, void* userdata,
                              const CUpti_SubscriberParams* parameters);
CUptiResult unsubscribe(CUpti_SubscriberHandle handle);
CUptiResult enable_callback(bool on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                            CUpti_CallbackId id);
CUptiResult enable_domain(bool on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain);
CUptiResult enable_all_domains(bool on, CUpti_SubscriberHandle handle);
CUptiResult get_callback_state(std::uint32_t* on, CUpti_SubscriberHandle handle,
                               CUpti_CallbackDomain domain, CUpti_CallbackId id);
CUptiResult detach(Client& client);

CUptiResult enable_kind(Client& client, CUpti_ActivityKind kind, bool dump = false);
CUptiResult disable_kind(Client& client, CUpti_ActivityKind kind);
CUptiResult enable_api(Client& client, CUpti_ActivityKind kind, CUpti_CallbackId id, bool on);
CUptiResult register_callbacks(Client& client, CUpti_BuffersCallbackRequestFunc request,
                               CUpti_BuffersCallbackCompleteFunc complete);
CUptiResult flush(Client& client, std::uint32_t flags);
CUptiResult take_dropped(Client& client, std::size_t* dropped);
CUptiResult next_record(Client& client, std::uint8_t* memory, std::size_t valid,
                        CUpti_Activity** record);

CUptiResult push_external_id(Client& client, CUpti_ExternalCorrelationKind kind, std::uint64_t id);
CUptiResult pop_external_id(Client& client, CUpti_ExternalCorrelationKind kind,
                            std::uint64_t* last);

CUptiResult change_clock(Client& client, CUpti_TimestampCallbackFunc function);
CUptiResult get_time(Client& client, std::uint64_t* time);
CUptiResult set_attribute(Client& client, CUpti_ActivityAttribute attribute, std::size_t* size,
                          void* value);
CUptiResult get_attribute(Client& client, CUpti_ActivityAttribute attribute, std::size_t* size,
                          void* value);
CUptiResult set_flush_period(Client& client, std::uint32_t milliseconds);
CUptiResult set_switch(Client& client, Switch which, bool on);
CUptiResult set_thread_ids(Client& client, CUpti_ActivityThreadIdType type);
CUptiResult get_thread_ids(Client& client, CUpti_ActivityThreadIdType* type);

// Called for each kind that a client has enabled: reports once if graphs hide kernels from it.
void note_kind(Client* client, CUpti_ActivityKind kind);

}  // namespace prof::cuda::clients::adapter
