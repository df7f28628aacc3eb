// The functions of CUPTI that prof defines for the whole process. LD_PRELOAD makes the dynamic
// linker choose them for libraries that are linked to libcupti (PyTorch), and dlsym.cpp returns
// them to libraries that look them up (XLA, Proton).
//
// There are two sorts: functions that depend on the client, and functions that go to our libcupti
// for every caller, because ids and records come from there. All other functions, such as most of
// the profiler and of PC and PM sampling, reach the client's libcupti. While prof takes PC samples,
// those that begin to use the GPU's counters tell the client that these are in use.
//
// A function that depends on the client has two implementations of the same name, one for each of
// prof's roles: the only subscriber (client.hpp), and one of several (adapter.hpp).
#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>

#include "injection/cuda/clients/adapter.hpp"
#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/clients/route.hpp"
#include "injection/cuda/cupti_api.hpp"
#include "injection/cuda/scoped.hpp"

#define PROF_CUPTI_EXPORT extern "C" __attribute__((visibility("default")))

namespace {
// For one client too many.
constexpr CUptiResult kTooMany = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
// On this error XLA, JAX and others call the functions without a subscriber. On any other error
// they give CUPTI up.
constexpr CUptiResult kNotSupported = CUPTI_ERROR_NOT_SUPPORTED;

constexpr CUptiResult kBusy = CUPTI_ERROR_HARDWARE_BUSY;

// The result of a function that the libcupti of the caller lacks. The preloaded function is never
// null, so clients that test the address of a weak symbol learn this from the result.
CUptiResult absent(const void* code) {
  return prof::cuda::clients::has_cupti(code) ? kNotSupported : CUPTI_ERROR_NOT_INITIALIZED;
}
}  // namespace

#define CALL_REAL_OR(missing, name, type, args)                                           \
  static constinit RealFunction real_{};                                                  \
  auto* const function_ =                                                                 \
      reinterpret_cast<decltype(&::type)>(real_.get(#name, __builtin_return_address(0))); \
  return function_ == nullptr ? missing : function_ args
#define CALL_REAL(name, args) CALL_REAL_OR(absent(__builtin_return_address(0)), name, name, args)

// Defines a function that depends on the client. `begins`: see route(). `in_child` is the result in
// a fork child. `result` calls a function of client.hpp or adapter.hpp; `client` is the caller in
// it.
#define OF_CLIENT(name, params, args, begins, in_child, result)      \
  PROF_CUPTI_EXPORT CUptiResult name params {                        \
    using namespace prof::cuda::clients;                             \
    const Route route_ = route(begins);                              \
    if (route_ == Route::kForkChild) return in_child;                \
    if (route_ == Route::kClient) {                                  \
      const Caller caller_ = caller_at(__builtin_return_address(0)); \
      if (!caller_.is_cupti) {                                       \
        if (caller_.client == nullptr) return kTooMany;              \
        [[maybe_unused]] Client& client = *caller_.client;           \
        return prof::cuda::is_scoped() ? adapter::result : result;   \
      }                                                              \
    }                                                                \
    CALL_REAL(name, args);                                           \
  }

#define OF_HOST(name, params, args)                                         \
  PROF_CUPTI_EXPORT CUptiResult name params {                               \
    using namespace prof::cuda::clients;                                    \
    if (route(false) != Route::kReal && prof::cuda::g_real.name != nullptr) \
      return prof::cuda::g_real.name args;                                  \
    CALL_REAL(name, args);                                                  \
  }

// As OF_HOST, but beside other subscribers the function of adapter.hpp is called.
#define OF_HOST_OR_CLIENT(name, params, args, adapted)                                       \
  PROF_CUPTI_EXPORT CUptiResult name params {                                                \
    using namespace prof::cuda::clients;                                                     \
    if (route(false) != Route::kReal) {                                                      \
      Client* const client =                                                                 \
          prof::cuda::is_scoped() ? caller_at(__builtin_return_address(0)).client : nullptr; \
      return client == nullptr ? prof::cuda::g_real.name args : adapter::adapted;            \
    }                                                                                        \
    CALL_REAL(name, args);                                                                   \
  }

// Defines a function that has the subscriber as its first argument. If prof is the only subscriber,
// a client has only a subscriber of prof, which our libcupti does not know. CUDA's older headers
// lack these functions, and libcupti may lack them, too. `note` is executed before the call of a
// client that has a subscriber of CUPTI.
#define OF_SUBSCRIBER_NOTED(name, params, args, note)                                      \
  PROF_CUPTI_EXPORT CUptiResult prof_##name params __asm__(#name);                         \
  CUptiResult prof_##name params {                                                         \
    using namespace prof::cuda::clients;                                                   \
    const Route route_ = route(false);                                                     \
    if (route_ == Route::kClient && prof::cuda::is_scoped()) {                             \
      static constinit OwnFunction own_{};                                                 \
      auto* const function_ = reinterpret_cast<decltype(&::prof_##name)>(own_.get(#name)); \
      if (function_ == nullptr) return kNotSupported;                                      \
      note;                                                                                \
      return function_ args;                                                               \
    }                                                                                      \
    if (route_ != Route::kReal && !caller_at(__builtin_return_address(0)).is_cupti)        \
      return kNotSupported;                                                                \
    CALL_REAL_OR(kNotSupported, name, prof_##name, args);                                  \
  }
#define OF_SUBSCRIBER(name, params, args) \
  OF_SUBSCRIBER_NOTED(name, params, args, static_cast<void>(0))
#define OF_SUBSCRIBER_AND_KIND(name)                                                              \
  OF_SUBSCRIBER_NOTED(name,                                                                       \
                      (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void* config), \
                      (subscriber, kind, config),                                                 \
                      adapter::note_kind(caller_at(__builtin_return_address(0)).client, kind))

// Defines a function that is the same for every caller, and that CUDA's older headers lack.
#define OF_NEWER_HOST(name, params, args)                                                  \
  PROF_CUPTI_EXPORT CUptiResult prof_##name params __asm__(#name);                         \
  CUptiResult prof_##name params {                                                         \
    using namespace prof::cuda::clients;                                                   \
    if (route(false) != Route::kReal) {                                                    \
      static constinit OwnFunction own_{};                                                 \
      auto* const function_ = reinterpret_cast<decltype(&::prof_##name)>(own_.get(#name)); \
      return function_ == nullptr ? kNotSupported : function_ args;                        \
    }                                                                                      \
    CALL_REAL_OR(kNotSupported, name, prof_##name, args);                                  \
  }

// Defines a function that begins to use the GPU's counters.
#define OF_COUNTERS(name, params, args)                        \
  PROF_CUPTI_EXPORT CUptiResult name params {                  \
    using namespace prof::cuda::clients;                       \
    if (!may_count(__builtin_return_address(0))) return kBusy; \
    CALL_REAL(name, args);                                     \
  }

#define OF_SWITCH(name, which)                                                        \
  OF_CLIENT(name, (std::uint8_t enable), (enable), true, CUPTI_ERROR_NOT_INITIALIZED, \
            set_switch(client, Switch::which, enable != 0))

// --- Subscriptions and callbacks.

OF_CLIENT(cuptiSubscribe,
          (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void* userdata),
          (subscriber, callback, userdata), true, CUPTI_ERROR_NOT_INITIALIZED,
          subscribe(client, subscriber, callback, userdata))
OF_CLIENT(cuptiSubscribe_v2,
          (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void* userdata,
           CUpti_SubscriberParams* parameters),
          (subscriber, callback, userdata, parameters), true, CUPTI_ERROR_NOT_INITIALIZED,
          subscribe_by_name(client, subscriber, callback, userdata, parameters))
OF_CLIENT(cuptiUnsubscribe, (CUpti_SubscriberHandle subscriber), (subscriber), false, CUPTI_SUCCESS,
          unsubscribe(subscriber))
OF_CLIENT(cuptiEnableCallback,
          (std::uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
           CUpti_CallbackId id),
          (enable, subscriber, domain, id), false, CUPTI_SUCCESS,
          enable_callback(enable != 0, subscriber, domain, id))
OF_CLIENT(cuptiEnableDomain,
          (std::uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain),
          (enable, subscriber, domain), false, CUPTI_SUCCESS,
          enable_domain(enable != 0, subscriber, domain))
OF_CLIENT(cuptiEnableAllDomains, (std::uint32_t enable, CUpti_SubscriberHandle subscriber),
          (enable, subscriber), false, CUPTI_SUCCESS, enable_all_domains(enable != 0, subscriber))
OF_CLIENT(cuptiGetCallbackState,
          (std::uint32_t * enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
           CUpti_CallbackId id),
          (enable, subscriber, domain, id), false, CUPTI_ERROR_NOT_INITIALIZED,
          get_callback_state(enable, subscriber, domain, id))
OF_CLIENT(cuptiFinalize, (), (), false, CUPTI_SUCCESS, detach(client))

// --- Activities.

OF_CLIENT(cuptiActivityEnable, (CUpti_ActivityKind kind), (kind), true, CUPTI_ERROR_NOT_INITIALIZED,
          enable_kind(client, kind))
OF_CLIENT(cuptiActivityEnableAndDump, (CUpti_ActivityKind kind), (kind), true,
          CUPTI_ERROR_NOT_INITIALIZED, enable_kind(client, kind, true))
OF_CLIENT(cuptiActivityDisable, (CUpti_ActivityKind kind), (kind), false, CUPTI_SUCCESS,
          disable_kind(client, kind))
// A kind is enabled for all contexts: each record says which context it belongs to.
OF_CLIENT(cuptiActivityEnableContext, (CUcontext context, CUpti_ActivityKind kind), (context, kind),
          true, CUPTI_ERROR_NOT_INITIALIZED, enable_kind(client, kind))
OF_CLIENT(cuptiActivityDisableContext, (CUcontext context, CUpti_ActivityKind kind),
          (context, kind), false, CUPTI_SUCCESS, disable_kind(client, kind))
OF_CLIENT(cuptiActivityEnableRuntimeApi, (CUpti_CallbackId id, std::uint8_t enable), (id, enable),
          true, CUPTI_ERROR_NOT_INITIALIZED,
          enable_api(client, CUPTI_ACTIVITY_KIND_RUNTIME, id, enable != 0))
OF_CLIENT(cuptiActivityEnableDriverApi, (CUpti_CallbackId id, std::uint8_t enable), (id, enable),
          true, CUPTI_ERROR_NOT_INITIALIZED,
          enable_api(client, CUPTI_ACTIVITY_KIND_DRIVER, id, enable != 0))
OF_CLIENT(cuptiActivityRegisterCallbacks,
          (CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete),
          (request, complete), true, CUPTI_ERROR_NOT_INITIALIZED,
          register_callbacks(client, request, complete))
OF_CLIENT(cuptiActivityFlushAll, (std::uint32_t flags), (flags), false, CUPTI_SUCCESS,
          flush(client, flags))
OF_CLIENT(cuptiActivityFlush, (CUcontext context, std::uint32_t stream, std::uint32_t flags),
          (context, stream, flags), false, CUPTI_SUCCESS, flush(client, flags))
OF_CLIENT(cuptiActivityFlushPeriod, (std::uint32_t milliseconds), (milliseconds), true,
          CUPTI_ERROR_NOT_INITIALIZED, set_flush_period(client, milliseconds))
OF_HOST_OR_CLIENT(cuptiActivityGetNextRecord,
                  (std::uint8_t * buffer, std::size_t valid, CUpti_Activity** record),
                  (buffer, valid, record), next_record(*client, buffer, valid, record))
OF_CLIENT(cuptiActivityGetNumDroppedRecords,
          (CUcontext context, std::uint32_t stream, std::size_t* dropped),
          (context, stream, dropped), false, CUPTI_ERROR_NOT_INITIALIZED,
          take_dropped(client, dropped))
OF_CLIENT(cuptiActivitySetAttribute,
          (CUpti_ActivityAttribute attribute, std::size_t* size, void* value),
          (attribute, size, value), true, CUPTI_ERROR_NOT_INITIALIZED,
          set_attribute(client, attribute, size, value))
OF_CLIENT(cuptiActivityGetAttribute,
          (CUpti_ActivityAttribute attribute, std::size_t* size, void* value),
          (attribute, size, value), true, CUPTI_ERROR_NOT_INITIALIZED,
          get_attribute(client, attribute, size, value))
OF_CLIENT(cuptiActivityPushExternalCorrelationId,
          (CUpti_ExternalCorrelationKind kind, std::uint64_t id), (kind, id), true,
          CUPTI_ERROR_NOT_INITIALIZED, push_external_id(client, kind, id))
OF_CLIENT(cuptiActivityPopExternalCorrelationId,
          (CUpti_ExternalCorrelationKind kind, std::uint64_t* last), (kind, last), true,
          CUPTI_ERROR_NOT_INITIALIZED, pop_external_id(client, kind, last))

// --- Clocks and threads.

OF_CLIENT(cuptiActivityRegisterTimestampCallback, (CUpti_TimestampCallbackFunc function),
          (function), true, CUPTI_ERROR_NOT_INITIALIZED, change_clock(client, function))
OF_CLIENT(cuptiGetTimestamp, (std::uint64_t * timestamp), (timestamp), false,
          CUPTI_ERROR_NOT_INITIALIZED, get_time(client, timestamp))
OF_CLIENT(cuptiSetThreadIdType, (CUpti_ActivityThreadIdType type), (type), true,
          CUPTI_ERROR_NOT_INITIALIZED, set_thread_ids(client, type))
OF_CLIENT(cuptiGetThreadIdType, (CUpti_ActivityThreadIdType * type), (type), true,
          CUPTI_ERROR_NOT_INITIALIZED, get_thread_ids(client, type))

// --- Switches.

OF_SWITCH(cuptiActivityEnableLatencyTimestamps, kLatencyTimestamps)
OF_SWITCH(cuptiActivityEnableLaunchAttributes, kLaunchAttributes)
OF_SWITCH(cuptiActivityEnableDeviceGraph, kDeviceGraph)
OF_SWITCH(cuptiActivityEnableHWTrace, kHardwareTrace)
OF_SWITCH(cuptiActivityEnableAllocationSource, kAllocationSource)
OF_SWITCH(cuptiActivityEnableAllSyncRecords, kAllSyncRecords)
OF_SWITCH(cuptiActivityEnableCudaEventDeviceTimestamps, kEventTimestamps)

// --- Functions that are the same for every caller.

OF_HOST(cuptiGetVersion, (std::uint32_t * version), (version))
OF_HOST(cuptiGetResultString, (CUptiResult result, const char** text), (result, text))
OF_HOST(cuptiGetCallbackName, (CUpti_CallbackDomain domain, std::uint32_t id, const char** name),
        (domain, id, name))
OF_HOST(cuptiGetContextId, (CUcontext context, std::uint32_t* id), (context, id))
OF_HOST(cuptiGetDeviceId, (CUcontext context, std::uint32_t* id), (context, id))
OF_HOST(cuptiGetStreamId, (CUcontext context, CUstream stream, std::uint32_t* id),
        (context, stream, id))
OF_HOST(cuptiGetStreamIdEx,
        (CUcontext context, CUstream stream, std::uint8_t per_thread, std::uint32_t* id),
        (context, stream, per_thread, id))
OF_HOST(cuptiGetGraphId, (CUgraph graph, std::uint32_t* id), (graph, id))
OF_HOST(cuptiGetGraphNodeId, (CUgraphNode node, std::uint64_t* id), (node, id))
OF_HOST(cuptiGetGraphExecId, (CUgraphExec exec, std::uint32_t* id), (exec, id))
OF_HOST(cuptiActivityConfigureUnifiedMemoryCounter,
        (CUpti_ActivityUnifiedMemoryCounterConfig * config, std::uint32_t count), (config, count))

OF_NEWER_HOST(cuptiGetCudaEventId, (CUevent event, std::uint32_t* id), (event, id))
OF_NEWER_HOST(cuptiActivityGetStructSize,
              (CUpti_ActivityKind kind, std::uint32_t version, std::size_t* size),
              (kind, version, size))

// --- Counters of the GPU.

OF_COUNTERS(cuptiPCSamplingEnable, (CUpti_PCSamplingEnableParams * parameters), (parameters))
OF_COUNTERS(cuptiProfilerBeginSession, (CUpti_Profiler_BeginSession_Params * parameters),
            (parameters))
OF_COUNTERS(cuptiRangeProfilerEnable, (CUpti_RangeProfiler_Enable_Params * parameters),
            (parameters))
OF_COUNTERS(cuptiSassMetricsEnable, (CUpti_SassMetricsEnable_Params * parameters), (parameters))

// --- Functions with a subscriber, from CUPTI 13.2 on.

OF_SUBSCRIBER_AND_KIND(cuptiActivityEnable_v2)
OF_SUBSCRIBER_AND_KIND(cuptiActivityEnableAndDump_v2)
OF_SUBSCRIBER(cuptiActivityDisable_v2,
              (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void* config),
              (subscriber, kind, config))
OF_SUBSCRIBER(cuptiActivityEnableRuntimeApi_v2,
              (CUpti_SubscriberHandle subscriber, CUpti_CallbackId id, std::uint8_t enable),
              (subscriber, id, enable))
OF_SUBSCRIBER(cuptiActivityEnableDriverApi_v2,
              (CUpti_SubscriberHandle subscriber, CUpti_CallbackId id, std::uint8_t enable),
              (subscriber, id, enable))
OF_SUBSCRIBER(cuptiActivityRegisterCallbacks_v2,
              (CUpti_SubscriberHandle subscriber, void (*request)(), void (*complete)()),
              (subscriber, request, complete))
OF_SUBSCRIBER(cuptiActivityGetNextRecord_v2,
              (CUpti_SubscriberHandle subscriber, std::uint8_t* buffer, std::size_t valid,
               CUpti_Activity** record),
              (subscriber, buffer, valid, record))
OF_SUBSCRIBER(cuptiActivityGetNumDroppedRecords_v2,
              (CUpti_SubscriberHandle subscriber, CUcontext context, std::uint32_t stream,
               std::size_t* dropped),
              (subscriber, context, stream, dropped))
OF_SUBSCRIBER(cuptiActivitySetAttribute_v2,
              (CUpti_SubscriberHandle subscriber, CUpti_ActivityAttribute attribute,
               std::size_t* size, void* value),
              (subscriber, attribute, size, value))
OF_SUBSCRIBER(cuptiActivityGetAttribute_v2,
              (CUpti_SubscriberHandle subscriber, CUpti_ActivityAttribute attribute,
               std::size_t* size, void* value),
              (subscriber, attribute, size, value))
OF_SUBSCRIBER(cuptiActivityPushExternalCorrelationId_v2,
              (CUpti_SubscriberHandle subscriber, CUpti_ExternalCorrelationKind kind,
               std::uint64_t id),
              (subscriber, kind, id))
OF_SUBSCRIBER(cuptiActivityPopExternalCorrelationId_v2,
              (CUpti_SubscriberHandle subscriber, CUpti_ExternalCorrelationKind kind,
               std::uint64_t* last),
              (subscriber, kind, last))
OF_SUBSCRIBER(cuptiActivityEnableRawTimestamps_v2,
              (CUpti_SubscriberHandle subscriber, std::uint8_t enable), (subscriber, enable))
OF_SUBSCRIBER(cuptiActivityGetEnabledKinds,
              (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind* kinds, std::uint32_t* room,
               std::uint32_t* count),
              (subscriber, kinds, room, count))
OF_SUBSCRIBER(cuptiGetEnabledCallbacks,
              (CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
               CUpti_CallbackId* ids, std::uint32_t* room, std::uint32_t* count),
              (subscriber, domain, ids, room, count))
OF_SUBSCRIBER(cuptiGetTimestamp_v2, (CUpti_SubscriberHandle subscriber, std::uint64_t* timestamp),
              (subscriber, timestamp))
