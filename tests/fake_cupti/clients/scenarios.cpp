// fake_cupti_clients SCENARIO [WORD ...]: a CUDA program in which libraries use CUPTI, without a
// GPU. Prints what each of them got.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <map>
#include <thread>

#include "gpu.hpp"
#include "scenarios.hpp"
#include "user.hpp"

namespace fake {

namespace {

constexpr const char* kLinked[] = {"fake_client_0.so", "fake_client_1.so"};
constexpr const char* kLookUp = "fake_client_lookup.so";
constexpr const char* kOtherCopy = "fake_client_copy.so";

constexpr int kMemcpy = CUPTI_ACTIVITY_KIND_MEMCPY;
constexpr int kSerialKernel = CUPTI_ACTIVITY_KIND_KERNEL;
constexpr int kExternal = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
constexpr int kCustom0 = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
constexpr int kCustom1 = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;

// The users give buffers, and want kernels.
void want_kernels(std::initializer_list<User*> users) {
  for (User* user : users) {
    user->register_callbacks();
    user->enable({kKernel});
  }
}

// What PyTorch's profiler enables.
const std::vector<int> kKinetoKinds = {1, 2, 10, 39, 5, 4, 17};

void query() {
  const ApiCall call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020);
}

void step(Gpu& gpu) {
  gpu.launch("_Z5saxpyfPfi", kFirst);
  query();
  gpu.launch("_Z6reducePf", kOther);
  gpu.copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
           CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 4096, kFirst);
  gpu.wait_for_device(kFirst);
}

// PyTorch's profiler, ten times: with a schedule, so that work before and after is not profiled.
Json like_kineto(Gpu& gpu, bool early) {
  User& user = User::create(0, kLinked[0]);
  const auto prepare = [&] {
    user.subscribe();
    user.use_clock(Clock::kTicks);
    user.register_callbacks();
  };
  if (early) prepare();
  cuInit(0);
  gpu.set_up();
  if (!early) prepare();
  for (std::uint64_t i = 0; i < 10; ++i) {
    gpu.launch("_Z6beforev", kFirst);
    user.enable(kKinetoKinds);
    user.must(user.cupti().cuptiActivityEnableRuntimeApi(
                  CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020, 0),
              "filter");
    user.push(kCustom0, i + 1);
    step(gpu);
    user.push(kCustom1, 100 + i);
    step(gpu);
    user.pop(kCustom1);
    user.pop(kCustom0);
    std::thread([&] { step(gpu); }).join();
    query();
    user.disable(kKinetoKinds);
    query();
    gpu.launch("_Z5afterv", kFirst);
    // PyTorch's profiler does not flush if it has given no buffer.
    if (user.buffers > 0) user.flush(i % 2 == 0 ? 0 : CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
  return {user.answer()};
}

Json kineto() {
  Gpu gpu;
  return like_kineto(gpu, false);
}

Json kineto_before_cuda() {
  Gpu gpu;
  return like_kineto(gpu, true);
}

// Each wants something else, at another time, in other buffers and of another clock. The second
// and the third use the same kind of external ids, the third looks its functions up.
Json several() {
  StartedGpu gpu;
  User& a = User::create(0, kLinked[0]);
  User& b = User::create(1, kLinked[1]);
  User& c = User::create(2, kLookUp);
  b.buffer_bytes = 1000;
  b.buffer_records = 2;
  c.buffer_bytes = 4096;
  std::size_t size = 1 << 20;
  std::size_t bytes = sizeof size;
  a.must(a.cupti().cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &bytes, &size),
         "set");
  for (User* user : {&a, &b, &c}) user->subscribe();
  b.use_clock(Clock::kTicks);
  c.use_clock(Clock::kShifted);
  for (User* user : {&a, &b, &c}) user->register_callbacks();
  b.must(b.cupti().cuptiEnableCallback(1, b.handle(), CUPTI_CB_DOMAIN_RUNTIME_API,
                                       CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000),
         "callback");
  c.must(c.cupti().cuptiEnableDomain(1, c.handle(), CUPTI_CB_DOMAIN_DRIVER_API), "domain");
  a.enable({kKernel});
  gpu.launch("first", kFirst);
  b.enable({kRuntime, kExternal});
  c.enable({kSerialKernel, kRuntime, kExternal});
  b.push(kCustom0, 7);
  c.push(kCustom0, 9);
  gpu.launch("second", kFirst);
  a.disable({kKernel});
  gpu.launch("third", kOther);
  b.pop(kCustom0);
  b.disable({kRuntime, kExternal});
  gpu.launch("fourth", kFirst);
  c.pop(kCustom0);
  for (User* user : {&a, &b, &c}) user->flush();
  c.must(c.cupti().cuptiUnsubscribe(c.handle()), "unsubscribe");
  gpu.launch("fifth", kFirst);
  Json answer = {a.answer(), b.answer(), c.answer()};
  for (User* user : {&a, &b, &c}) {
    user->cupti().cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &bytes, &size);
    answer[static_cast<std::size_t>(user == &a ? 0 : user == &b ? 1 : 2)]["buffer_size"] = size;
  }
  return answer;
}

// The first client gives no buffers. The second keeps all that it gets until the end.
Json stingy() {
  StartedGpu gpu;
  User& a = User::create(0, kLinked[0]);
  User& b = User::create(1, kLinked[1]);
  a.gives_buffers = false;
  b.buffer_bytes = 1 << 20;
  want_kernels({&a, &b});
  for (int i = 0; i < 50; ++i) gpu.launch("_Z5saxpyfPfi", kFirst);
  a.flush();
  const std::size_t early = b.records();
  b.flush();
  Json answer = {a.answer(), b.answer()};
  answer[1]["before_its_flush"] = early;
  return answer;
}

// Two clients end in a callback: one unsubscribes, one calls cuptiFinalize.
Json ends_inside(CUptiResult (*how)(User&)) {
  StartedGpu gpu;
  User& a = User::create(0, kLinked[0]);
  User& b = User::create(1, kLinked[1]);
  for (User* user : {&a, &b}) {
    user->subscribe();
    user->register_callbacks();
    user->must(user->cupti().cuptiEnableDomain(1, user->handle(), CUPTI_CB_DOMAIN_RUNTIME_API),
               "domain");
    user->enable({kKernel});
  }
  gpu.launch("first", kFirst);
  a.inside = how;
  gpu.launch("second", kFirst);
  gpu.launch("third", kFirst);
  b.flush();
  Json answer = {a.answer(), b.answer()};
  // It may come back.
  a.subscribe();
  want_kernels({&a});
  gpu.launch("fourth", kFirst);
  a.flush();
  answer.push_back(a.answer());
  return answer;
}

Json unsubscribes() {
  return ends_inside([](User& user) { return user.cupti().cuptiUnsubscribe(user.handle()); });
}

Json finalizes() {
  return ends_inside([](User& user) { return user.cupti().cuptiFinalize(); });
}

// CUPTI does not work in a fork child, but the client's handlers for exit run there.
Json forks() {
  StartedGpu gpu;
  User& user = User::create(0, kLinked[0]);
  user.subscribe();
  want_kernels({&user});
  gpu.launch("first", kFirst);
  const pid_t child = fork();
  if (child == 0) {
    user.disable({kKernel});
    user.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    user.must(user.cupti().cuptiUnsubscribe(user.handle()), "unsubscribe");
    user.must(user.cupti().cuptiFinalize(), "finalize");
    std::exit(user.cupti().cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL) == CUPTI_SUCCESS);
  }
  int status = 0;
  waitpid(child, &status, 0);
  gpu.launch("second", kFirst);
  user.flush();
  Json answer = {user.answer()};
  answer[0]["child"] = status;
  return answer;
}

// A client that wants kernels sees those in graphs.
Json graphs_of(User& user, Gpu& gpu) {
  user.register_callbacks();
  gpu.graph(2, kFirst);
  user.enable({kKernel});
  gpu.graph(3, kFirst);
  user.disable({kKernel});
  gpu.graph(4, kFirst);
  user.flush();
  return {user.answer()};
}

Json graphs() {
  StartedGpu gpu;
  return graphs_of(User::create(0, kLinked[0]), gpu);
}

// The client's library is loaded before CUDA is initialized.
Json graphs_of_a_library() {
  User& user = User::create(0, kLinked[0]);
  StartedGpu gpu;
  return graphs_of(user, gpu);
}

// The client has called CUPTI before CUDA is initialized. It looks its functions up.
Json graphs_of_an_early_client() {
  User& user = User::create(0, kLookUp);
  user.register_callbacks();
  StartedGpu gpu;
  return graphs_of(user, gpu);
}

// What the second subscription of a client returns, and the first one of another client.
Json subscribe_again() {
  cuInit(0);
  User& a = User::create(0, kLinked[0]);
  User& b = User::create(1, kLinked[1]);
  CUpti_SubscriberHandle handle = nullptr;
  const auto subscribe = [&](User& user) {
    const auto nothing = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
    return user.cupti().cuptiSubscribe(&handle, nothing, nullptr);
  };
  const Json results = {subscribe(a), subscribe(a), subscribe(b)};
  return {{{"results", results}}};
}

// A client that finds another copy of libcupti than the one that prof uses, as a wheel beside a
// toolkit has it.
Json two_copies() {
  StartedGpu gpu;
  User& a = User::create(0, kLinked[0]);
  User& b = User::create(1, kOtherCopy);
  for (User* user : {&a, &b}) user->subscribe();
  want_kernels({&a, &b});
  gpu.launch("first", kFirst);
  a.disable({kKernel});
  gpu.launch("second", kFirst);
  for (User* user : {&a, &b}) user->flush();
  return {a.answer(), b.answer()};
}

// One client lets CUPTI flush, the other flushes once at the end.
Json periodic() {
  StartedGpu gpu;
  User& a = User::create(0, kLinked[0]);
  User& b = User::create(1, kLinked[1]);
  want_kernels({&a, &b});
  a.must(a.cupti().cuptiActivityFlushPeriod(10), "period");
  gpu.launch("first", kFirst);
  for (int i = 0; i < 2000 && a.records() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::size_t early = b.records();
  b.flush();
  Json answer = {a.answer(), b.answer()};
  answer[1]["before_its_flush"] = early;
  return answer;
}

// A client disables what it enabled, so its library may go. Another one works on.
Json clock_goes() {
  StartedGpu gpu;
  User& leaves = User::create(0, kLinked[0]);
  User& stays = User::create(1, kLinked[1]);
  for (User* user : {&leaves, &stays}) user->register_callbacks();
  leaves.use_clock(Clock::kTicks);
  for (User* user : {&leaves, &stays}) user->enable({kKernel});
  gpu.launch("first", kFirst);
  leaves.flush();
  const int used = leaves.clock_readings;
  leaves.disable({kKernel});
  const int before = leaves.clock_readings;
  gpu.launch("second", kFirst);
  stays.flush();
  Json answer = {leaves.answer(), stays.answer()};
  answer[0]["readings"] = {{"used", used}, {"later", leaves.clock_readings - before}};
  return answer;
}

// cuptiGetTimestamp beside the client's clock.
Json timestamps() {
  cuInit(0);
  Json answer = Json::array();
  for (const Clock clock : {Clock::kDefault, Clock::kTicks, Clock::kShifted}) {
    User& user =
        User::create(static_cast<int>(clock), clock == Clock::kShifted ? kLookUp : kLinked[0]);
    user.register_callbacks();
    if (clock != Clock::kDefault) user.use_clock(clock);
    const std::uint64_t before = user.time();
    std::uint64_t time = 0;
    user.must(user.cupti().cuptiGetTimestamp(&time), "time");
    answer.push_back({{"between", before <= time && time <= user.time()}});
  }
  return answer;
}

// Threads work while clients come and go.
Json crowd() {
  StartedGpu gpu;
  User* const users[] = {&User::create(0, kLinked[0]), &User::create(1, kLinked[1]),
                         &User::create(2, kLookUp)};
  for (User* user : users) {
    user->buffer_bytes = 2048;
    user->register_callbacks();
  }
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!over) step(gpu);
    });
  std::vector<std::thread> clients;
  for (User* one : users)
    clients.emplace_back([&user = *one] {
      for (int i = 0; i < 8; ++i) {
        user.subscribe();
        user.must(user.cupti().cuptiEnableCallback(1, user.handle(), CUPTI_CB_DOMAIN_RUNTIME_API,
                                                   CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000),
                  "callback");
        user.enable({kKernel, kMemcpy, kRuntime});
        user.push(kCustom0, 1);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        user.pop(kCustom0);
        user.flush();
        user.disable({kKernel, kMemcpy, kRuntime});
        user.must(user.cupti().cuptiUnsubscribe(user.handle()), "unsubscribe");
        user.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
      }
    });
  for (std::thread& client : clients) client.join();
  over = true;
  for (std::thread& thread : threads) thread.join();
  Json answer = Json::array();
  for (User* user : users) {
    user->flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    answer.push_back(user->answer());
    answer.back()["records"] = answer.back()["records"].size();
  }
  return answer;
}

const std::map<std::string, Json (*)()> kScenarios = {
    {"kineto", kineto},
    {"kineto_before_cuda", kineto_before_cuda},
    {"several", several},
    {"stingy", stingy},
    {"unsubscribes", unsubscribes},
    {"finalizes", finalizes},
    {"forks", forks},
    {"subscribe_again", subscribe_again},
    {"graphs", graphs},
    {"graphs_of_a_library", graphs_of_a_library},
    {"graphs_of_an_early_client", graphs_of_an_early_client},
    {"crowd", crowd},
    {"recorded_calls", recorded_calls},
    {"periodic", periodic},
    {"clock_goes", clock_goes},
    {"timestamps", timestamps},
    {"two_copies", two_copies},
    {"links", links},
    {"scoped_calls_with_an_older_subscription", scoped_calls_with_an_older_subscription},
};

}  // namespace

}  // namespace fake

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const std::vector<std::string> words(argv + std::min(argc, 2), argv + argc);
  const auto scenario = fake::kScenarios.find(name);
  if (name == "styles" && words.size() > 1) {
    std::puts(fake::styles(words).dump().c_str());
  } else if (name == "random_calls" && (words.size() == 2 || words.size() == 3)) {
    std::puts(fake::random_calls(words).dump().c_str());
  } else if (scenario != fake::kScenarios.end() && words.empty()) {
    std::puts(scenario->second().dump().c_str());
  } else {
    std::fputs("usage: fake_cupti_clients SCENARIO [WORD ...]\n", stderr);
    return 2;
  }
  return 0;
}
