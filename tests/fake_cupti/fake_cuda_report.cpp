// fake_cuda_report REPORT: does what the program of an nsys report did, at the same pace: on as
// many threads, with its NVTX ranges, its calls of CUDA and its GPU work. Under prof profile this
// gives a report of the same program, so that both reports can be compared, without a GPU.
//
// Prints what it did as JSON. Not done: events, allocations, migrations, graph nodes.
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include "report_rows.hpp"

namespace fake {

namespace {

using Kind = Action::Kind;

// Ids of CUPTI by the names of calls.
std::map<std::string, CUpti_CallbackId> ids_of(CUpti_CallbackDomain domain) {
  std::map<std::string, CUpti_CallbackId> ids;
  const char* name = nullptr;
  for (CUpti_CallbackId id = 1; cuptiGetCallbackName(domain, id, &name) == CUPTI_SUCCESS; ++id)
    ids.emplace(name, id);
  return ids;
}

class Player {
 public:
  explicit Player(ReportRows rows) : rows_(std::move(rows)) {
    ids_[0] = ids_of(CUPTI_CB_DOMAIN_RUNTIME_API);
    ids_[1] = ids_of(CUPTI_CB_DOMAIN_DRIVER_API);
    for (const Action& action : rows_.actions) {
      threads_[action.thread].push_back(&action);
      if (action.kind == Kind::kStart) open_[action.correlation] = 0;
      if (!action.domain.empty() && domains_.count(action.domain) == 0)
        domains_[action.domain] = nvtxDomainCreateA(action.domain.c_str());
    }
  }

  Json play() {
    cuInit(0);
    for (const auto& device : rows_.devices) put(device);
    for (const auto& context : rows_.contexts) put(context);
    for (const auto& stream : rows_.streams) put(stream);
    origin_ = static_cast<std::int64_t>(now()) - rows_.actions.front().start + kLead;
    std::vector<std::thread> others;
    for (auto each = std::next(threads_.begin()); each != threads_.end(); ++each)
      others.emplace_back([this, &actions = each->second] { play_thread(actions); });
    play_thread(threads_.begin()->second);
    for (std::thread& thread : others) thread.join();
    return {{"calls", calls_.load()},     {"ranges", ranges_.load()}, {"unknown", unknown_.load()},
            {"kernels", kernels_.load()}, {"copies", copies_.load()}, {"fills", fills_.load()}};
  }

 private:
  static constexpr std::int64_t kLead = 2'000'000;

  // An action and those within it.
  void play_thread(const std::vector<const Action*>& actions) {
    for (std::size_t at = 0; at < actions.size();) at = play(actions, at);
  }

  std::size_t play(const std::vector<const Action*>& actions, std::size_t at) {
    const Action& action = *actions[at++];
    wait_until(action.start);
    const auto inside = [&] {
      while (at < actions.size() && actions[at]->start < action.end) at = play(actions, at);
      wait_until(action.end);
    };
    if (action.kind == Kind::kRuntime || action.kind == Kind::kDriver)
      call(action, inside);
    else
      annotate(action, inside);
    return at;
  }

  // A machine that is too busy for the pace delays all that follows, the GPU's work too.
  void wait_until(std::int64_t time) {
    for (;;) {
      std::int64_t delay = delay_.load();
      const std::int64_t early = origin_ + delay + time - static_cast<std::int64_t>(now());
      if (early == 0) return;
      if (early < 0 && delay_.compare_exchange_strong(delay, delay - early)) return;
      // Calls take microseconds, and a sleeping thread wakes up 50 us late.
      if (early < 2 * kWakeUp) continue;
      const std::int64_t sleep = early - kWakeUp;
      const timespec pause{sleep / 1'000'000'000, static_cast<long>(sleep % 1'000'000'000)};
      nanosleep(&pause, nullptr);
    }
  }
  static constexpr std::int64_t kWakeUp = 100'000;

  template <class Inside>
  void call(const Action& action, Inside inside) {
    const bool is_driver = action.kind == Kind::kDriver;
    const auto& ids = ids_[is_driver ? 1 : 0];
    const auto id = ids.find(action.name);
    if (id == ids.end()) {
      ++unknown_;
      return inside();
    }
    Context context{{1}};
    Stream stream{{action.stream}, &context};
    Arguments arguments;
    if (action.stream != 0) arguments.parameters[0] = &stream;
    ApiCall call(is_driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API, id->second,
                 arguments);
    call.result = action.result;
    ++calls_;
    // Again, in case the thread has lost its CPU since: no work starts before its call.
    wait_until(action.start);
    if (const auto work = rows_.work.find(action.correlation); work != rows_.work.end())
      launch(work->second, call.correlation);
    inside();
  }

  void launch(const GpuWork& work, std::uint32_t correlation) {
    kernels_ += deliver(work.kernels, correlation);
    copies_ += deliver(work.copies, correlation);
    fills_ += deliver(work.fills, correlation);
    deliver(work.graphs, correlation);
  }

  template <class Record>
  std::size_t deliver(const std::vector<Record>& records, std::uint32_t correlation) {
    const auto shift = static_cast<std::uint64_t>(origin_ + delay_.load());
    for (Record record : records) {
      record.start += shift;
      record.end += shift;
      record.correlationId = correlation;
      put(record);
    }
    return records.size();
  }

  template <class Inside>
  void annotate(const Action& action, Inside inside) {
    nvtxDomainHandle_t domain = action.domain.empty() ? nullptr : domains_.at(action.domain);
    // On the thread that started it.
    if (action.kind == Kind::kEnd) return nvtxDomainRangeEnd(domain, open_.at(action.correlation));
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = action.name.c_str();
    if (action.is_registered) {
      event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
      event.message.registered = nvtxDomainRegisterStringA(domain, action.name.c_str());
    }
    ++ranges_;
    if (action.kind == Kind::kMark) return nvtxDomainMarkEx(domain, &event);
    if (action.kind == Kind::kStart) {
      open_[action.correlation] = nvtxDomainRangeStartEx(domain, &event);
      return;
    }
    nvtxDomainRangePushEx(domain, &event);
    inside();
    nvtxDomainRangePop(domain);
  }

  const ReportRows rows_;
  std::map<std::string, CUpti_CallbackId> ids_[2];  // of the runtime, of the driver
  std::map<std::int64_t, std::vector<const Action*>> threads_;
  std::map<std::string, nvtxDomainHandle_t> domains_;
  std::map<std::uint32_t, nvtxRangeId_t> open_;
  std::int64_t origin_ = 0;  // CUPTI's time of the report's time 0
  std::atomic<std::int64_t> delay_ = 0;
  std::atomic<std::size_t> calls_ = 0, ranges_ = 0, unknown_ = 0, kernels_ = 0, copies_ = 0,
                           fills_ = 0;
};

}  // namespace

}  // namespace fake

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fake_cuda_report REPORT\n", stderr);
    return 2;
  }
  fake::ReportRows rows = fake::read_report(argv[1]);
  if (rows.actions.empty()) {
    std::fprintf(stderr, "fake_cuda_report: %s has no CUDA calls and no NVTX ranges\n", argv[1]);
    return 2;
  }
  std::puts(fake::Player(std::move(rows)).play().dump().c_str());
  return 0;
}
