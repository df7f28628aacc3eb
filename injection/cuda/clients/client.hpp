// The other users of CUPTI in the process (PyTorch's Kineto, XLA, Proton): each assumes that it is
// the only one. docs/decisions/0025 has the reasons.
//
// A client is a library: calls of CUPTI's functions from the same library are of the same client.
// Entries are never freed, because a client that has gone usually comes back.
//
// Three locks protect this, and are taken in this order:
//   g_configuration  the requests to CUPTI; held during such a request
//   delivery         the buffer of a client; held while records are copied or a buffer requested
//   state            the requests of a client
// No lock is held while a client gets a callback or a finished buffer.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "injection/cuda/clients/lock.hpp"

struct link_map;

namespace prof::cuda::clients {

inline constexpr unsigned kMaxClients = 8;
inline constexpr unsigned kKinds = 64;         // kinds of activities
inline constexpr unsigned kIds = 2048;         // callback ids in a domain
inline constexpr unsigned kDomains = 8;        // domains of callbacks
inline constexpr unsigned kAttributes = 32;    // attributes of the activity API
inline constexpr std::uint32_t kNotYet = ~0U;  // a correlation id that no call has reached

// A set of numbers below `size`. Threads may read it while another changes it.
template <unsigned size>
class Set {
 public:
  bool has(unsigned number) const {
    return number < size &&
           (words_[number / 64].load(std::memory_order_relaxed) & bit(number)) != 0;
  }
  void set(unsigned number, bool on) {
    if (number >= size) return;
    if (on)
      words_[number / 64].fetch_or(bit(number), std::memory_order_relaxed);
    else
      words_[number / 64].fetch_and(~bit(number), std::memory_order_relaxed);
  }
  void fill(bool on) {
    for (auto& word : words_) word.store(on ? ~std::uint64_t{0} : 0, std::memory_order_relaxed);
  }
  bool is_empty() const {
    for (const auto& word : words_)
      if (word.load(std::memory_order_relaxed) != 0) return false;
    return true;
  }

 private:
  static std::uint64_t bit(unsigned number) { return std::uint64_t{1} << (number % 64); }
  std::atomic<std::uint64_t> words_[(size + 63) / 64];
};

// The part of the program for which a kind was enabled. CUPTI keeps a record until its work has
// finished, so records arrive after the kind was disabled again.
struct Window {
  std::uint32_t first;  // correlation id
  std::uint32_t last;   // kNotYet: still enabled
  std::uint64_t begin;  // CLOCK_MONOTONIC_RAW, ns
  std::uint64_t end;
};

// The last windows of a kind.
struct Windows {
  static constexpr unsigned kMaximum = 4;
  std::uint32_t count;  // number of windows opened until now
  bool open;
  Window last[kMaximum];

  bool has_correlation(std::uint32_t id) const;
  bool has_time(std::uint64_t time) const;
};

// The line between two readings of both clocks.
struct ClockSegment {
  std::uint64_t first;  // in the clock of CUPTI's records
  std::uint64_t last;
  std::uint64_t base;
  std::uint64_t theirs;
  double rate;

  bool has(std::uint64_t time) const { return time - first <= last - first && rate != 0; }
  std::uint64_t of(std::uint64_t time) const {
    const auto distance = static_cast<double>(static_cast<std::int64_t>(time - base));
    return theirs + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance * rate));
  }
};

// Relates a client's clock to the clock of CUPTI's records. That is CLOCK_MONOTONIC_RAW if prof is
// the only subscriber, and otherwise the clock of the client's subscriber. Between two readings
// both clocks are taken as linear, as CUPTI does for the clocks of the GPU and the host.
struct ClientClock {
  struct Reading {
    std::uint64_t base;
    std::uint64_t theirs;
  };
  static constexpr unsigned kMaximum = 64;
  CUpti_TimestampCallbackFunc function;  // null: CLOCK_REALTIME, as in CUPTI
  unsigned count;
  Reading readings[kMaximum];  // oldest first

  void add(const Reading& reading);
  // Returns the line for a time, which is not zero.
  ClockSegment segment_of(std::uint64_t base) const;
};

// Converts times of records to a client's clock. Most times are on the line of the previous one.
class TimeConverter {
 public:
  explicit TimeConverter(const ClientClock& clock) : clock_(clock) {}
  std::uint64_t operator()(std::uint64_t base) {
    if (base == 0) return 0;
    if (!segment_.has(base)) segment_ = clock_.segment_of(base);
    return segment_.of(base);
  }

 private:
  const ClientClock& clock_;
  ClockSegment segment_{};
};

// A client's requests about activities. Guarded by Client::state.
struct Wishes {
  CUpti_BuffersCallbackRequestFunc request;
  CUpti_BuffersCallbackCompleteFunc complete;
  Windows kinds[kKinds];
  ClientClock clock;
  CUpti_ActivityThreadIdType thread_ids;
};

// The functions whose call records a client gets.
struct Apis {
  bool whole;  // it has enabled the kind, not just single functions
  Set<kIds> functions;
};
inline bool is_api(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_DRIVER || kind == CUPTI_ACTIVITY_KIND_RUNTIME;
}
inline unsigned api_index(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_RUNTIME ? 1 : 0;
}

struct Buffer {
  std::uint8_t* memory;
  std::size_t size;
  std::size_t valid;
  std::size_t limit;  // maximum number of records; 0: no limit
  std::size_t records;
};

struct Client {
  std::atomic<const void*> library;  // its link map; null: the entry is free
  std::atomic<std::uint64_t> name;   // hash of the library's file name

  std::atomic<bool> subscribed;
  std::atomic<CUpti_CallbackFunc> callback;
  std::atomic<void*> userdata;
  Set<kIds> callbacks[kDomains];

  Lock state;
  Wishes wishes;
  Apis apis[2];      // of the kinds DRIVER and RUNTIME
  Set<16> switches;  // see settings.cpp
  std::uint64_t attributes[kAttributes];
  Set<kAttributes> has_attribute;
  bool lacks_nodes;  // of graphs, and this was reported; guarded by g_configuration

  Lock delivery;
  Buffer buffer;
  std::atomic<unsigned> open_kinds;
  std::atomic<bool> needs_buffer;           // see feed()
  std::atomic<std::uint64_t> flush_period;  // ns; 0: none
  std::uint64_t flushed;                    // time of the last hand-over
  std::atomic<std::size_t> dropped;
};

extern Client g_clients[kMaxClients];
extern Lock g_configuration;

// True if a client has ever made a request. Set once.
extern std::atomic<bool> g_present;

// Called before our tracer starts because of a client's call: may_have_clients() is true then.
void expect_client();

// Returns the string hash of the file name of a library.
std::uint64_t file_name_of(const link_map& library);
// Returns the client to which the code at an address belongs. Null if there are too many clients.
Client* client_of(const void* library);
inline unsigned index_of(const Client& client) {
  return static_cast<unsigned>(&client - g_clients);
}
template <class Function>
void for_each(Function function) {
  for (Client& client : g_clients) {
    if (client.library.load(std::memory_order_acquire) == nullptr) return;
    function(client);
  }
}

// --- clock.cpp
//
// `subscriber` is the client's if prof is one of several.
CUptiResult change_clock(Client& client, CUpti_TimestampCallbackFunc function,
                         CUpti_SubscriberHandle subscriber = nullptr);
// Reads the client's clock and that of CUPTI's records at the same moment.
void read_clock(Client& client, CUpti_SubscriberHandle subscriber = nullptr);
CUptiResult get_time(Client& client, std::uint64_t* time);

// --- callbacks.cpp; the functions share_*() are parts of share()
CUptiResult subscribe(Client& client, CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                      void* userdata);
// Returns CUPTI_ERROR_NOT_SUPPORTED for parameters of newer versions: such a client continues with
// functions that have a subscriber, and so does one that gives none to a library with such
// functions.
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
// next_correlation() makes a driver call and returns its correlation id: earlier calls have lower
// ids. The caller holds g_configuration. find_mark() is called before, because it needs the
// loader's lock.
void find_mark();
std::uint32_t next_correlation();
// True if next_correlation() made the call.
bool is_own_call(const CUpti_ActivityAPI& call);

// The state of a call between its two callbacks.
enum class CallState : std::uint8_t {
  kFree,
  kCounted,    // see are_calls_in_progress()
  kUncounted,  // the function's callback is never replaced
  kByRecord,   // its row is made from a record, not by our callback
};
// True if a call is in progress whose row our callback makes, although a record could make it.
bool are_calls_in_progress();
// Enables the callback in CUPTI if prof or a client wants it now, and disables it if not. The
// caller holds g_configuration.
CUptiResult update_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id);

void share_callbacks();

// --- kinds.cpp
void share_kinds();
CUptiResult enable_kind(Client& client, CUpti_ActivityKind kind, bool dump = false);
CUptiResult disable_kind(Client& client, CUpti_ActivityKind kind);
void disable_all_kinds(Client& client);
// Enables the records of one function, of the kind RUNTIME or DRIVER.
CUptiResult enable_api(Client& client, CUpti_ActivityKind kind, CUpti_CallbackId id, bool on);

// Disables the kinds RUNTIME and DRIVER unless a client has them.
void drop_call_kinds();
// Makes CUPTI write records of the function's calls if the kind is enabled.
void show_calls(CUpti_ActivityKind kind, CUpti_CallbackId id);

// --- call_records.cpp; the caller holds g_configuration, except for enter() and the last two
//
// True if records make the rows of the function's calls now, so that our tracer needs no callback.
bool replaces_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id);
// True if our tracer needs records of the function's calls, even if no client wants them.
bool needs_call_records(CUpti_ActivityKind kind, CUpti_CallbackId id);
// CUPTI records all calls from now on.
void begin_call_records();
// Called when the client that wanted the records has gone. Returns whether CUPTI must continue for
// a while.
bool end_call_records();
// Decides whether a callback or a record makes the row of a call that is entered. `state` is
// kCounted before.
void enter(CUpti_CallbackDomain domain, CUpti_CallbackId id, std::uint32_t correlation,
           std::atomic<CallState>& state);
// Called when our tracer wants no more records.
void forget_call_records();
// Makes the next step if it is due. Called at the end of calls.
void follow_call_records();
bool is_row_by_record(const CUpti_ActivityAPI& call);

// --- delivery.cpp
CUptiResult register_callbacks(Client& client, CUpti_BuffersCallbackRequestFunc request,
                               CUpti_BuffersCallbackCompleteFunc complete);
CUptiResult flush(Client& client, std::uint32_t flags);
CUptiResult take_dropped(Client& client, std::size_t* dropped);
// Hands the client's buffer over if it has records, or if `also_empty` is set.
void hand_over(Client& client, bool also_empty = false);
// Requests a buffer from the client if the client has enabled something and CUPTI would request one
// now: at the first call that makes a record. Some clients flush only after they have provided a
// buffer.
void feed(Client& client);

// --- external_ids.cpp
CUptiResult push_external_id(Client& client, CUpti_ExternalCorrelationKind kind, std::uint64_t id);
CUptiResult pop_external_id(Client& client, CUpti_ExternalCorrelationKind kind,
                            std::uint64_t* last);
// The client that gave the id, and the kind of the id for this client.
struct ExternalIdOwner {
  unsigned client;  // kMaxClients: none
  CUpti_ExternalCorrelationKind kind;
};
ExternalIdOwner owner_of(const CUpti_ActivityExternalCorrelation& record);

// --- settings.cpp
CUptiResult set_attribute(Client& client, CUpti_ActivityAttribute attribute, std::size_t* size,
                          void* value);
CUptiResult get_attribute(Client& client, CUpti_ActivityAttribute attribute, std::size_t* size,
                          void* value);
CUptiResult set_flush_period(Client& client, std::uint32_t milliseconds);
enum class Switch : unsigned {
  kLatencyTimestamps,
  kLaunchAttributes,
  kDeviceGraph,
  kHardwareTrace,
  kAllocationSource,
  kAllSyncRecords,
  kEventTimestamps,
  kCount,
};
CUptiResult set_switch(Client& client, Switch which, bool on);

CUptiResult set_thread_ids(Client& client, CUpti_ActivityThreadIdType type);
CUptiResult get_thread_ids(Client& client, CUpti_ActivityThreadIdType* type);
// Forgets all requests of the client, as cuptiFinalize() does.
CUptiResult detach(Client& client);

// --- threads.cpp
//
// Stores the calling thread's two ids: clients know threads by their pthread_self().
void note_thread();
// Returns the id that a client gets for a thread. For unknown threads this is the kernel's id.
std::uint32_t pthread_of(std::uint32_t tid);

}  // namespace prof::cuda::clients
