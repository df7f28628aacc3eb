#include "user.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "injection/cuda/cupti_v2.hpp"

namespace fake {

namespace {

User* g_users[User::kMaximum];

template <int n>
struct Functions {
  static void request(std::uint8_t** memory, std::size_t* size, std::size_t* records) {
    g_users[n]->request(memory, size, records);
  }
  static void complete(CUcontext, std::uint32_t, std::uint8_t* memory, std::size_t,
                       std::size_t valid) {
    g_users[n]->complete(memory, valid);
  }
  static void request_scoped(std::uint8_t** memory, std::size_t* size, std::size_t* records,
                             void*) {
    g_users[n]->request(memory, size, records);
  }
  static void complete_scoped(std::uint8_t* memory, std::size_t, std::size_t valid, void*) {
    g_users[n]->complete(memory, valid);
  }
  static std::uint64_t clock() {
    ++g_users[n]->clock_readings;
    return g_users[n]->read_clock();
  }
};

struct FunctionsOfUser {
  CUpti_BuffersCallbackRequestFunc request;
  CUpti_BuffersCallbackCompleteFunc complete;
  CUpti_TimestampCallbackFunc clock;
  Request* request_scoped;
  Complete* complete_scoped;
};
#define OF(n)                                                           \
  {                                                                     \
    Functions<n>::request, Functions<n>::complete, Functions<n>::clock, \
        Functions<n>::request_scoped, Functions<n>::complete_scoped     \
  }
constexpr FunctionsOfUser kFunctions[User::kMaximum] = {OF(0), OF(1), OF(2), OF(3)};
#undef OF

void on_callback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API || domain == CUPTI_CB_DOMAIN_DRIVER_API)
    static_cast<User*>(user)->call_back(domain, *static_cast<const CUpti_CallbackData*>(data));
}

std::uint64_t read(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::string own_folder() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  const std::string file(path, length < 0 ? 0 : static_cast<std::size_t>(length));
  return file.substr(0, file.rfind('/') + 1);
}

Json description(const CUpti_Activity* record, std::uint32_t owner) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& k = *reinterpret_cast<const CUpti_ActivityKernel9*>(record);
      return {{"name", k.name},
              {"stream", k.streamId},
              {"correlation", k.correlationId},
              {"start", k.start},
              {"duration", k.end - k.start}};
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& c = *reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
      return {{"bytes", c.bytes},
              {"stream", c.streamId},
              {"correlation", c.correlationId},
              {"start", c.start},
              {"duration", c.end - c.start}};
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      const auto& a = *reinterpret_cast<const CUpti_ActivityAPI*>(record);
      return {{"function", a.cbid},
              {"correlation", a.correlationId},
              {"start", a.start},
              {"thread", a.threadId == owner ? "this" : "another"}};
    }
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& e = *reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
      return {{"external", {e.externalKind, e.externalId}}, {"correlation", e.correlationId}};
    }
    case CUPTI_ACTIVITY_KIND_NVLINK: {
      const auto& link = *reinterpret_cast<const prof::cuda::v2::NvLink*>(record);
      Json ports = Json::array();
      for (std::uint32_t* of_one : link.ports) {
        ports.push_back(std::vector<std::uint32_t>(of_one, of_one + link.links));
        std::free(of_one);  // the client's duty
      }
      return {{"ports", ports}};
    }
    default:
      return Json::object();
  }
}

}  // namespace

User::User(int number, const std::string& file)
    : number_(number), owner_(static_cast<std::uint32_t>(pthread_self())) {
  g_users[number] = this;
  void* const library = dlopen((own_folder() + file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  const auto get = reinterpret_cast<decltype(&fake_client)>(dlsym(library, "fake_client"));
  cupti_ = get();
  if (cupti_ == nullptr) std::exit(2);
  scoped_ = reinterpret_cast<decltype(&fake_scoped_client)>(dlsym(library, "fake_scoped_client"))();
}

void User::must(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return;
  std::fprintf(stderr, "client %d: %s: %d\n", number_, what, result);
  std::exit(2);
}

void User::register_callbacks() {
  began_ = time();
  if (is_scoped_)
    return must(
        scoped_->cuptiActivityRegisterCallbacks_v2(handle_, kFunctions[number_].request_scoped,
                                                   kFunctions[number_].complete_scoped),
        "register");
  must(cupti_->cuptiActivityRegisterCallbacks(kFunctions[number_].request,
                                              kFunctions[number_].complete),
       "register");
}

void User::use_clock(Clock clock) {
  clock_ = clock;
  must(cupti_->cuptiActivityRegisterTimestampCallback(kFunctions[number_].clock), "clock");
}

void User::enable(const std::vector<int>& kinds) {
  for (const int kind : kinds) {
    const auto one = static_cast<CUpti_ActivityKind>(kind);
    must(is_scoped_ ? scoped_->cuptiActivityEnable_v2(handle_, one, nullptr)
                    : cupti_->cuptiActivityEnable(one),
         "enable");
  }
}

void User::disable(const std::vector<int>& kinds) {
  for (const int kind : kinds) {
    const auto one = static_cast<CUpti_ActivityKind>(kind);
    must(is_scoped_ ? scoped_->cuptiActivityDisable_v2(handle_, one, nullptr)
                    : cupti_->cuptiActivityDisable(one),
         "disable");
  }
}

void User::subscribe() { must(try_to_subscribe(), "subscribe"); }

CUptiResult User::try_to_subscribe() { return cupti_->cuptiSubscribe(&handle_, on_callback, this); }

CUptiResult User::subscribe_scoped(bool allows_others) {
  if (scoped_->cuptiSubscribe_v2 == nullptr || scoped_->cuptiGetTimestamp_v2 == nullptr)
    return CUPTI_ERROR_NOT_SUPPORTED;
  prof::cuda::v2::SubscriberParams parameters{};
  parameters.size = sizeof parameters;
  parameters.allows_others = allows_others ? 1 : 0;
  CUptiResult result = scoped_->cuptiSubscribe_v2(
      &handle_, on_callback, this, reinterpret_cast<CUpti_SubscriberParams*>(&parameters));
  std::uint64_t now = 0;
  if (result == CUPTI_SUCCESS) result = scoped_->cuptiGetTimestamp_v2(handle_, &now);
  is_scoped_ = result == CUPTI_SUCCESS;
  return result;
}

void User::unsubscribe() {
  must(cupti_->cuptiUnsubscribe(handle_), "unsubscribe");
  is_scoped_ = false;
}

void User::finalize() { must(cupti_->cuptiFinalize(), "finalize"); }

void User::push(int kind, std::uint64_t id) {
  must(cupti_->cuptiActivityPushExternalCorrelationId(
           static_cast<CUpti_ExternalCorrelationKind>(kind), id),
       "push");
}

void User::pop(int kind) {
  must(cupti_->cuptiActivityPopExternalCorrelationId(
           static_cast<CUpti_ExternalCorrelationKind>(kind), nullptr),
       "pop");
}

void User::flush(std::uint32_t flags) { must(cupti_->cuptiActivityFlushAll(flags), "flush"); }

std::uint64_t User::read_clock() const {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  switch (clock_.load()) {
    case Clock::kTicks:
      return 3 * read(CLOCK_MONOTONIC);
    case Clock::kShifted:
      return read(CLOCK_REALTIME) + kHour;
    case Clock::kDefault:
      break;
  }
  return read(CLOCK_REALTIME);
}

std::uint64_t User::time() const { return read_clock(); }

void User::request(std::uint8_t** memory, std::size_t* size, std::size_t* records) {
  *memory = nullptr;
  *size = 0;
  *records = buffer_records;
  if (!gives_buffers) return;
  *memory = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = buffer_bytes;
  ++buffers;
}

void User::complete(std::uint8_t* memory, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  const auto next = [&] {
    return is_scoped_ ? scoped_->cuptiActivityGetNextRecord_v2(handle_, memory, valid, &record)
                      : cupti_->cuptiActivityGetNextRecord(memory, valid, &record);
  };
  while (next() == CUPTI_SUCCESS) keep(record);
  const std::size_t dropped = count_dropped();
  std::free(memory);
  --buffers;
  const std::lock_guard lock(lock_);
  dropped_ += dropped;
}

std::size_t User::count_dropped() {
  std::size_t dropped = 0;
  if (is_scoped_)
    scoped_->cuptiActivityGetNumDroppedRecords_v2(handle_, nullptr, 0, &dropped);
  else
    cupti_->cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  return dropped;
}

void User::keep(const CUpti_Activity* record) {
  Json row = description(record, owner_);
  row["kind"] = record->kind;
  if (row.contains("start")) {  // a second is less than what the clocks differ by
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const std::uint64_t start = row["start"];
    row["in_time"] = start + kSecond >= began_ && start <= time() + kSecond;
    row.erase("start");
  }
  const std::lock_guard lock(lock_);
  records_.push_back(std::move(row));
}

void User::call_back(CUpti_CallbackDomain domain, const CUpti_CallbackData& data) {
  const std::uint64_t word =
      std::uint64_t{data.correlationId} << 8 | static_cast<unsigned>(number_);
  const std::string side = data.callbackSite == CUPTI_API_ENTER ? "enter " : "exit ";
  {
    const std::lock_guard lock(lock_);
    ++callbacks_[(domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "" : "driver ") + side +
                 data.functionName];
    if (data.callbackSite == CUPTI_API_ENTER)
      *data.correlationData = word;
    else if (*data.correlationData != 0 && *data.correlationData != word)  // 0: it had no entry
      ++foreign_words_;
  }
  if (data.callbackSite == CUPTI_API_EXIT)
    if (const auto function = inside.exchange(nullptr)) must(function(*this), "inside a callback");
}

Json User::answer() {
  const std::size_t dropped = count_dropped();
  const std::lock_guard lock(lock_);
  dropped_ += dropped;
  return {{"records", records_},
          {"callbacks", callbacks_},
          {"foreign_words", foreign_words_},
          {"dropped", dropped_},
          {"buffers", buffers.load()}};
}

std::size_t User::records() {
  const std::lock_guard lock(lock_);
  return records_.size();
}

}  // namespace fake
