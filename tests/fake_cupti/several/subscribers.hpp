// The subscribers of cuptiSubscribe_v2 with the parameters of CUPTI 13.3 and later. Each has its
// kinds, callbacks, buffers, clock, thread ids and external ids.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "fake_state.hpp"
#include "injection/cuda/cupti_v2.hpp"
#include "several/selections.hpp"

namespace fake {

// A subscriber's clock. It ticks a whole number of times in a nanosecond.
class SubscriberClock {
 public:
  void set(CUpti_TimestampCallbackFunc function);
  std::uint64_t now() const;
  // Converts the times of a record of the kind from CUPTI's clock.
  void convert(CUpti_ActivityKind kind, void* record) const;
  CUpti_TimestampCallbackFunc function() const { return function_; }

 private:
  CUpti_TimestampCallbackFunc function_ = nullptr;
  std::int64_t rate_ = 1;
};

struct Subscriber {
  std::uint64_t number = 0;  // differs from that of every other subscription
  std::string name;
  CUpti_CallbackFunc callback = nullptr;  // null: it has gone
  void* userdata = nullptr;
  std::bitset<kMaxIds> callbacks[CUPTI_CB_DOMAIN_SIZE];
  std::bitset<64> kinds;
  bool has_devices = false;  // CUPTI makes the records of devices in cuInit, and again on request
  std::bitset<kMaxIds> hidden_apis[CUPTI_CB_DOMAIN_SIZE];
  prof::cuda::v2::Request* request = nullptr;
  prof::cuda::v2::Complete* complete = nullptr;
  ActivityBuffer buffer{};  // no memory: none
  std::size_t dropped = 0;
  SubscriberClock clock;
  CUpti_ActivityThreadIdType thread_ids = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  std::map<int, std::uint64_t> attributes;
  bool selects = false;  // its kinds are enabled with selections of fields
  Selections selections;
};

// Never destroyed, like State. Entries are never removed, and used again when many have gone.
struct Subscribers {
  std::mutex lock;
  std::list<Subscriber> list;
  std::deque<Subscriber*> gone;  // oldest first
  std::uint64_t last_number = 0;
  Subscriber of_older;              // of cuptiSubscribe, which may use scoped functions, too
  std::atomic<int> present = 0;     // subscribers that have not gone
  int allows = -1;                  // whether several are allowed; -1: nobody has decided yet
  std::atomic<bool> used = false;   // scoped activity calls were made
  std::atomic<bool> began = false;  // a kind was enabled
  int graphs = -1;                  // 1: whole graphs are recorded, -1: not decided
};
Subscribers& subscribers();

// Called with the lock held.
Subscriber& add_subscriber();

// Ends the process if the handle is not one of the fake: the real functions crash.
Subscriber& subscriber_of(CUpti_SubscriberHandle handle);

// The stack of a thread for a kind of external ids.
std::vector<std::uint64_t>& external_ids_of(const Subscriber& one, int kind);

}  // namespace fake
