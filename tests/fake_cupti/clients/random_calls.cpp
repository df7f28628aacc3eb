// Libraries make random sequences of CUPTI's calls, with and
// without a subscriber, with their handles, each other's, and made-up ones. Under prof each answer
// has to be the documented one. Prints how many calls were made, and those with another answer.
//
// If prof is one of several subscribers, handles are CUPTI's, which crashes on those that are made
// up or gone. So no such handles are used then.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "injection/cuda/cupti_v2.hpp"
#include "scenarios.hpp"
#include "user.hpp"

namespace fake {

namespace {

constexpr int kClients = 3;
constexpr CUptiResult kInvalid = CUPTI_ERROR_INVALID_PARAMETER;
constexpr CUptiResult kUnsupported = CUPTI_ERROR_NOT_SUPPORTED;
constexpr CUptiResult kTaken = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;

// What CUPTI has promised to a client.
struct Promised {
  User* user;
  CUpti_SubscriberHandle handle = nullptr;  // null: not subscribed
  bool has_buffers = false;
  std::vector<std::uint64_t> external;
  bool has_clock = false;
  std::map<int, std::size_t> attributes;
  std::vector<CUpti_SubscriberHandle> scoped;  // subscribers of CUPTI, if it has several
};

class RandomCalls {
 public:
  RandomCalls(std::uint64_t seed, bool several) : random_(seed), several_(several) {
    constexpr const char* kLibraries[kClients] = {"fake_client_0.so", "fake_client_1.so",
                                                  "fake_client_lookup.so"};
    for (int i = 0; i < kClients; ++i) clients_[i].user = &User::create(i, kLibraries[i]);
  }

  void make_sequence() {
    const int length = 5 + below(25);
    for (int i = 0; i < length; ++i) {
      Promised& client = clients_[below(kClients)];
      below(2) == 0 ? call_older(client) : call_scoped(client);
    }
  }

  Json answer() const { return {{"calls", calls_}, {"answers", answers_}, {"wrong", wrong_}}; }

 private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  void check(const char* call, CUptiResult result, CUptiResult expected) {
    ++calls_;
    ++answers_[std::to_string(result)];
    if (result != expected)
      wrong_[std::string(call) + ": " + std::to_string(result) + " instead of " +
             std::to_string(expected)] += 1;
  }

  // A handle of the client, of another one, of nobody any more, or made up.
  CUpti_SubscriberHandle any_handle(Promised& client) {
    switch (below(several_ ? 3 : 5)) {
      case 0:
        return client.handle;
      case 1:
        return clients_[below(kClients)].handle;
      case 2:
        return last_handle_;
      case 3:
        return reinterpret_cast<CUpti_SubscriberHandle>(&client);
      default:
        return nullptr;
    }
  }
  Promised* owner_of(CUpti_SubscriberHandle handle) {
    for (Promised& client : clients_)
      if (handle != nullptr && client.handle == handle) return &client;
    return nullptr;
  }

  CUpti_ActivityKind any_kind() {
    constexpr int kSome[] = {1, 2, 4, 5, 10, 39, 49, 51, 56, 57, 58, 59};
    return static_cast<CUpti_ActivityKind>(kSome[below(std::size(kSome))]);
  }

  void call_older(Promised& client);
  void call_with_handle(Promised& client);
  void call_for_ids(Promised& client);
  void call_for_attributes(Promised& client);
  void call_for_time(Promised& client);
  void call_scoped(Promised& client);
  void call_one_of_several(Promised& client);
  void subscribe_one_of_several(Promised& client);
  void subscribe_scoped(Promised& client, CUpti_SubscriberHandle& handle);

  std::mt19937_64 random_;
  bool several_;
  std::array<Promised, kClients> clients_{};
  CUpti_SubscriberHandle last_handle_ = nullptr;
  std::uint64_t calls_ = 0;
  std::map<std::string, std::uint64_t> answers_;
  std::map<std::string, std::uint64_t> wrong_;
};

void do_nothing(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

// A clock of a client. Its times are odd and later than those of other clocks.
std::uint64_t odd_time() { return 2 * now() + 1; }

void RandomCalls::call_older(Promised& client) {
  const Cupti& cupti = client.user->cupti();
  switch (below(9)) {
    case 0: {
      CUpti_SubscriberHandle handle = nullptr;
      const CUptiResult result = cupti.cuptiSubscribe(&handle, do_nothing, nullptr);
      check("cuptiSubscribe", result, client.handle == nullptr ? CUPTI_SUCCESS : kTaken);
      if (result == CUPTI_SUCCESS) client.handle = last_handle_ = handle;
      return;
    }
    case 1:
      check("cuptiActivityEnable", cupti.cuptiActivityEnable(any_kind()), CUPTI_SUCCESS);
      return;
    case 2:
      check("cuptiActivityDisable", cupti.cuptiActivityDisable(any_kind()), CUPTI_SUCCESS);
      return;
    case 3:
      if (below(2) == 0) {
        client.user->register_callbacks();
        client.has_buffers = true;
      }
      check("cuptiActivityFlushAll", cupti.cuptiActivityFlushAll(static_cast<unsigned>(below(2))),
            client.has_buffers || several_ ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION);
      return;
    case 4:
      return call_for_ids(client);
    case 5:
      return call_for_attributes(client);
    case 6:
      if (below(8) != 0) return;
      check("cuptiFinalize", cupti.cuptiFinalize(), CUPTI_SUCCESS);
      if (several_) client.external.clear();
      if (last_handle_ == client.handle || several_) last_handle_ = nullptr;
      client.handle = nullptr;
      client.has_buffers = false;
      client.has_clock = false;
      client.attributes.clear();
      return;
    case 7:
      return call_for_time(client);
    default:
      return call_with_handle(client);
  }
}

void RandomCalls::call_with_handle(Promised& client) {
  const Cupti& cupti = client.user->cupti();
  const CUpti_SubscriberHandle handle = any_handle(client);
  if (several_ && handle == nullptr) return;
  Promised* const owner = owner_of(handle);
  const CUptiResult expected = owner == nullptr ? kInvalid : CUPTI_SUCCESS;
  const auto on = static_cast<std::uint32_t>(below(2));
  const auto id = static_cast<CUpti_CallbackId>(1 + below(3000));
  switch (below(4)) {
    case 0:
      check("cuptiUnsubscribe", cupti.cuptiUnsubscribe(handle), expected);
      if (owner != nullptr) owner->handle = nullptr;
      return;
    case 1:
      check("cuptiEnableDomain", cupti.cuptiEnableDomain(on, handle, CUPTI_CB_DOMAIN_DRIVER_API),
            expected);
      return;
    default:
      check("cuptiEnableCallback",
            cupti.cuptiEnableCallback(on, handle, CUPTI_CB_DOMAIN_RUNTIME_API, id),
            id < 2048 ? expected : kInvalid);
  }
}

void RandomCalls::call_for_ids(Promised& client) {
  const Cupti& cupti = client.user->cupti();
  // CUPTI has stacks of five kinds, which the clients share.
  const auto kind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  auto& known = client.external;
  if (below(2) == 0) {
    const auto id = static_cast<std::uint64_t>(below(1000));
    const CUptiResult result = cupti.cuptiActivityPushExternalCorrelationId(kind, id);
    check("cuptiActivityPushExternalCorrelationId", result, CUPTI_SUCCESS);
    known.push_back(id);
    return;
  }
  std::uint64_t last = 0;
  const CUptiResult result = cupti.cuptiActivityPopExternalCorrelationId(kind, &last);
  check("cuptiActivityPopExternalCorrelationId", result,
        known.empty() ? CUPTI_ERROR_QUEUE_EMPTY : CUPTI_SUCCESS);
  if (known.empty()) return;
  check("id that was popped", last == known.back() ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN,
        CUPTI_SUCCESS);
  known.pop_back();
}

// Beside other subscribers CUPTI refuses a clock; prof converts the times then.
void RandomCalls::call_for_time(Promised& client) {
  const Cupti& cupti = client.user->cupti();
  std::uint64_t time = 0;
  switch (below(4)) {
    case 0:
      return check("cuptiActivityRegisterTimestampCallback of nothing",
                   cupti.cuptiActivityRegisterTimestampCallback(nullptr), kInvalid);
    case 1:
      client.has_clock = true;
      return check("cuptiActivityRegisterTimestampCallback",
                   cupti.cuptiActivityRegisterTimestampCallback(odd_time), CUPTI_SUCCESS);
    default:
      check("cuptiGetTimestamp", cupti.cuptiGetTimestamp(&time), CUPTI_SUCCESS);
      return check("time of a client's clock",
                   !client.has_clock || (time % 2 == 1 && time > now()) ? CUPTI_SUCCESS
                                                                        : CUPTI_ERROR_UNKNOWN,
                   CUPTI_SUCCESS);
  }
}

// The attributes above 10 belong to the functions with a subscriber.
void RandomCalls::call_for_attributes(Promised& client) {
  const Cupti& cupti = client.user->cupti();
  constexpr int kSome[] = {0, 1, 11, 13, 20, 21, 22, 24};
  const int number = kSome[below(std::size(kSome))];
  const auto attribute = static_cast<CUpti_ActivityAttribute>(number);
  std::size_t value = static_cast<std::size_t>(below(1 << 20));
  std::size_t size = sizeof value;
  const CUptiResult expected = number > 10 ? kUnsupported : CUPTI_SUCCESS;
  if (below(2) == 0) {
    check("cuptiActivitySetAttribute", cupti.cuptiActivitySetAttribute(attribute, &size, &value),
          expected);
    if (number <= 10) client.attributes[number] = value;
    return;
  }
  check("cuptiActivityGetAttribute", cupti.cuptiActivityGetAttribute(attribute, &size, &value),
        expected);
  const auto set = client.attributes.find(number);
  if (set != client.attributes.end())
    check("value of an attribute", value == set->second ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN,
          CUPTI_SUCCESS);
}

// A subscription by the first version's parameters is served; the client goes on with the older
// functions.
void RandomCalls::subscribe_scoped(Promised& client, CUpti_SubscriberHandle& handle) {
  prof::cuda::v2::SubscriberParams parameters{};
  const bool is_first = below(4) == 0;
  const bool is_missing = below(8) == 0;
  parameters.size = is_first ? prof::cuda::v2::kFirstParamsSize : sizeof parameters;
  parameters.allows_others = static_cast<std::uint8_t>(below(2));
  const CUptiResult result = client.user->scoped().cuptiSubscribe_v2(
      &handle, do_nothing, nullptr,
      is_missing ? nullptr : reinterpret_cast<CUpti_SubscriberParams*>(&parameters));
  const bool is_served = is_first && !is_missing;
  check("cuptiSubscribe_v2", result,
        !is_served                 ? kUnsupported
        : client.handle == nullptr ? CUPTI_SUCCESS
                                   : kTaken);
  if (result == CUPTI_SUCCESS) client.handle = last_handle_ = handle;
}

// A subscription by the first version's parameters, or by none, is that of cuptiSubscribe().
void RandomCalls::subscribe_one_of_several(Promised& client) {
  prof::cuda::v2::SubscriberParams parameters{};
  const bool is_older = below(4) == 0;
  parameters.size = is_older ? prof::cuda::v2::kFirstParamsSize : sizeof parameters;
  parameters.allows_others = static_cast<std::uint8_t>(below(2));
  CUpti_SubscriberHandle handle = nullptr;
  const CUptiResult result = client.user->scoped().cuptiSubscribe_v2(
      &handle, do_nothing, nullptr,
      is_older && below(2) == 0 ? nullptr : reinterpret_cast<CUpti_SubscriberParams*>(&parameters));
  check("cuptiSubscribe_v2", result, is_older && client.handle != nullptr ? kTaken : CUPTI_SUCCESS);
  if (result != CUPTI_SUCCESS) return;
  if (is_older)
    client.handle = last_handle_ = handle;
  else
    client.scoped.push_back(handle);
}

void RandomCalls::call_one_of_several(Promised& client) {
  constexpr std::size_t kMost = 3;
  const ScopedCupti& cupti = client.user->scoped();
  if (client.scoped.empty()) return subscribe_one_of_several(client);
  const CUpti_SubscriberHandle handle = client.scoped[client.scoped.size() - 1];
  if (client.scoped.size() > kMost) {
    client.scoped.pop_back();
    return check("cuptiUnsubscribe", client.user->cupti().cuptiUnsubscribe(handle), CUPTI_SUCCESS);
  }
  std::uint64_t value = 0;
  std::size_t size = sizeof value;
  CUpti_Activity* record = nullptr;
  switch (below(9)) {
    case 0:
      return subscribe_one_of_several(client);
    case 7:  // prof has enabled kinds before
      value = reinterpret_cast<std::uint64_t>(odd_time);
      return check("cuptiActivitySetAttribute_v2 for a clock",
                   cupti.cuptiActivitySetAttribute_v2(
                       handle, static_cast<CUpti_ActivityAttribute>(22), &size, &value),
                   CUPTI_ERROR_NOT_COMPATIBLE);
    case 1:
      return check("cuptiGetTimestamp_v2", cupti.cuptiGetTimestamp_v2(handle, &value),
                   CUPTI_SUCCESS);
    case 2:
      return check("cuptiActivityEnable_v2",
                   cupti.cuptiActivityEnable_v2(handle, any_kind(), nullptr), CUPTI_SUCCESS);
    case 3:
      return check("cuptiActivityDisable_v2",
                   cupti.cuptiActivityDisable_v2(handle, any_kind(), nullptr), CUPTI_SUCCESS);
    case 4:
      return check("cuptiActivityRegisterCallbacks_v2",
                   cupti.cuptiActivityRegisterCallbacks_v2(handle, nullptr, nullptr), kInvalid);
    case 5:
      return check("cuptiActivityGetNextRecord_v2",
                   cupti.cuptiActivityGetNextRecord_v2(handle, nullptr, 0, &record),
                   CUPTI_ERROR_MAX_LIMIT_REACHED);
    case 6:
      return check("cuptiActivityGetNumDroppedRecords_v2",
                   cupti.cuptiActivityGetNumDroppedRecords_v2(handle, nullptr, 0, &size),
                   CUPTI_SUCCESS);
    default:
      check("cuptiActivityGetAttribute_v2",
            cupti.cuptiActivityGetAttribute_v2(handle, static_cast<CUpti_ActivityAttribute>(12),
                                               &size, &value),
            CUPTI_SUCCESS);
      return check("whether others are allowed", value == 1 ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN,
                   CUPTI_SUCCESS);
  }
}

// No handle works with the functions that have a subscriber, not even the client's own.
void RandomCalls::call_scoped(Promised& client) {
  if (several_) return call_one_of_several(client);
  const ScopedCupti& cupti = client.user->scoped();
  CUpti_SubscriberHandle handle = any_handle(client);
  std::uint64_t time = 0;
  std::size_t number = sizeof time;
  CUpti_Activity* record = nullptr;
  switch (below(9)) {
    case 0:
      return subscribe_scoped(client, handle);
    case 7:
      return check("cuptiActivitySetAttribute_v2",
                   cupti.cuptiActivitySetAttribute_v2(
                       handle, static_cast<CUpti_ActivityAttribute>(21), &number, &time),
                   kUnsupported);
    case 1:
      return check("cuptiGetTimestamp_v2", cupti.cuptiGetTimestamp_v2(handle, &time), kUnsupported);
    case 2:
      return check("cuptiActivityEnable_v2",
                   cupti.cuptiActivityEnable_v2(handle, any_kind(), nullptr), kUnsupported);
    case 3:
      return check("cuptiActivityDisable_v2",
                   cupti.cuptiActivityDisable_v2(handle, any_kind(), nullptr), kUnsupported);
    case 4:
      return check("cuptiActivityRegisterCallbacks_v2",
                   cupti.cuptiActivityRegisterCallbacks_v2(handle, nullptr, nullptr), kUnsupported);
    case 5:
      return check("cuptiActivityGetNextRecord_v2",
                   cupti.cuptiActivityGetNextRecord_v2(handle, nullptr, 0, &record), kUnsupported);
    case 6:
      return check("cuptiActivityGetNumDroppedRecords_v2",
                   cupti.cuptiActivityGetNumDroppedRecords_v2(handle, nullptr, 0, &number),
                   kUnsupported);
    default:
      return check("cuptiActivityGetAttribute_v2",
                   cupti.cuptiActivityGetAttribute_v2(
                       handle, static_cast<CUpti_ActivityAttribute>(12), &number, &time),
                   kUnsupported);
  }
}

}  // namespace

// `words`: the number of sequences, the seed, and "several" if CUPTI has several subscribers.
Json random_calls(const std::vector<std::string>& words) {
  StartedGpu gpu;
  const int sequences = std::atoi(words.at(0).c_str());
  RandomCalls calls(std::strtoull(words.at(1).c_str(), nullptr, 10), words.size() > 2);
  for (int i = 0; i < sequences; ++i) {
    calls.make_sequence();
    if (i % 100 == 0) gpu.launch("_Z6betweenv", kFirst);
  }
  gpu.launch("_Z4lastv", kFirst);
  return {calls.answer()};
}

}  // namespace fake
