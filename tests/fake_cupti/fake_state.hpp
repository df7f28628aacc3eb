// Shared by the two halves of the fake CUPTI: fake_cupti.cpp has the functions, fake_buffers.cpp
// the records and their buffers.
#pragma once

#include <unistd.h>

#include <atomic>
#include <bitset>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "fake_cupti.hpp"

namespace fake {

// Memory of the client.
struct ActivityBuffer {
  std::uint8_t* memory;
  std::size_t size;
  std::size_t valid = 0;
  std::size_t unfinished = 0;  // records
  std::size_t records = 0;
};
using BufferPointer = std::shared_ptr<ActivityBuffer>;

// A record of the size that it has in this version: what the program's struct lacks is 0.
struct SizedRecord {
  SizedRecord() = default;
  SizedRecord(const void* given, std::size_t given_size);

  static constexpr std::size_t kMaximum = 304;
  alignas(8) std::uint8_t bytes[kMaximum] = {};
  std::size_t size = 0;
};

inline constexpr std::size_t kMaxIds = 2048;

// Never destroyed, because its thread outlives main.
struct State {
  std::mutex lock;  // held while the client is asked for a buffer, as in CUPTI
  pid_t pid = getpid();

  CUpti_CallbackFunc callback = nullptr;
  void* userdata = nullptr;
  std::bitset<kMaxIds> callbacks[CUPTI_CB_DOMAIN_SIZE];
  std::bitset<64> kinds;
  std::bitset<8> counters;                                 // for unified memory
  std::bitset<kMaxIds> hidden_apis[CUPTI_CB_DOMAIN_SIZE];  // have no records
  CUpti_ActivityThreadIdType thread_ids = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  int devices = 0;
  std::size_t attributes[16] = {3'200'000};
  bool graphs_stay_whole = false;
  CUpti_TimestampCallbackFunc timestamp = nullptr;

  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  BufferPointer current;
  std::list<BufferPointer> full;
  std::size_t dropped = 0;
  bool has_hardware_trace = false;
  std::vector<SizedRecord> held;  // by the hardware trace, until the next flush
  bool is_hardware_full = false;  // and the client does not know yet
  std::atomic<std::size_t> delivered = 0;
  std::size_t taken = 0;

  std::list<BufferPointer> outgoing;  // to be flushed by the worker
  bool is_handing = false;
  std::condition_variable handed;
  std::condition_variable wake;
  std::uint32_t period = 0;  // ms
};
State& state();

inline bool fails(const char* function) { return misbehaviour().fail == function; }

void start_worker();
void flush(bool forced);
std::uint32_t thread_id(CUpti_ActivityThreadIdType type);
void dump_links();
void report_missing_hardware_trace();
// Notifies the client once that the hardware trace has dropped records.
void report_full_hardware();

// --- several/subscribers.cpp: those of cuptiSubscribe_v2 with the parameters of newer versions
//
// Returns whether a subscriber has got the record.
bool record_for_subscribers(const void* bytes, std::size_t size);
// Adds the records of the thread's external ids for a call.
void record_external_ids_for_subscribers(std::uint32_t correlation);
void hand_over_to_subscribers();
bool is_enabled_for_subscribers(CUpti_ActivityKind kind);
bool do_subscribers_listen(CUpti_CallbackDomain domain, CUpti_CallbackId id);
void call_subscribers(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
// The answer to a call of a function without a subscriber: an error if the process uses those that
// have one.
CUptiResult answer_to_older_call();
// The answer to a call that CUPTI forbids while it has more than `most` of several subscribers.
CUptiResult answer_to_call_of_only_one(int most);
// The answer to cuptiSubscribe() beside other subscribers.
CUptiResult answer_to_older_subscription();
// True if the handle is that of a subscriber. Sets or resets its callback.
bool set_callback_of_subscriber(CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id, bool on);
bool set_domain_of_subscriber(CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain, bool on);
bool end_subscriber(CUpti_SubscriberHandle handle);
// Called with a handle that is not of the fake.
void reject_handle();

// Buffers that the client has given and not got back. Called with the lock held.
std::size_t buffers_of_client();

}  // namespace fake
