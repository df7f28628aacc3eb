// Kernels whose instructions are sampled.
#include "counters/gpu_samples.hpp"

#include <cuda.h>
#include <cupti_pcsampling.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "modes.hpp"

namespace fake {

namespace {

constexpr const char* kFunctions[] = {"_Z5saxpyfPfi", "_ZN4demo6reduceIfEEvPT_i"};
constexpr std::size_t kCubinBytes = 40'000;  // several pieces

class Samples {
 public:
  explicit Samples(int rounds) : rounds_(rounds) {}

  void begin() {
    gpu_.set_up();
    context_.id = kFirst.context;
    resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, handle(), nullptr);
    crcs_.push_back(load('a'));
    load('b');  // nothing of it runs
  }

  // Calls until somebody samples the context in which calls are made.
  void wait_for_sampling() {
    constexpr int kPatience = 2000;  // of 10 ms
    handle_ = context_of_calls();
    gpu_.set_up();
    crcs_.push_back(0);
    for (int i = 0; i < kPatience && !drop_samples(handle(), 0); ++i) {
      gpu_.launch(kFunctions[0], kFirst);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  void run() {
    for (int i = 0; i < rounds_; ++i) {
      gpu_.launch(kFunctions[i % 2], kFirst);
      for (std::uint32_t reason = 0; reason < std::size(kStallReasons); ++reason)
        sample({crcs_.back(), kFunctions[i % 2], 16U * static_cast<unsigned>(i % 5), reason,
                10 + reason, reason});
      if (drop_samples(handle(), 5)) dropped_ += 5;
      if (take_others(handle(), 3)) others_ += 3;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  // The same in a range of the profiler API, and after it.
  void run_in_range() {
    const std::uint64_t before = all();
    gpu_.runtime(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000, [](std::uint32_t) {});
    run();
    gpu_.expect("IN_RANGE", all() - before);
    gpu_.runtime(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000, [](std::uint32_t) {});
    run();
  }

  // A module takes the place of another one.
  void reload() {
    unload();
    crcs_.push_back(load('c'));
  }

  // A library of the program wants to sample, too.
  void sample_itself() {
    CUpti_PCSamplingEnableParams parameters{};
    parameters.size = CUpti_PCSamplingEnableParamsSize;
    parameters.ctx = handle();
    gpu_.expect("CLIENT", cuptiPCSamplingEnable(&parameters));
  }

  void make_other_context() {
    other_.id = kOther.context + 10;
    resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, reinterpret_cast<CUcontext>(&other_), nullptr);
  }

  void destroy() { resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, handle(), nullptr); }

  Json answer() {
    for (const auto& [key, counts] : counts_)
      gpu_.expect("SAMPLES", {{"function", std::get<0>(key)},
                              {"offset", std::get<1>(key)},
                              {"stall", kStallReasons[std::get<2>(key)]},
                              {"samples", counts.first},
                              {"notIssued", counts.second}});
    gpu_.expect(
        "LOSSES",
        {{"total", total_ + dropped_ + others_}, {"dropped", dropped_}, {"nonUser", others_}});
    for (const std::uint64_t crc : crcs_)
      gpu_.expect("CUBINS", {{"crc", static_cast<std::int64_t>(crc)}, {"size", kCubinBytes}});
    return gpu_.answer();
  }

 private:
  CUcontext handle() { return handle_; }

  // The bytes are there during the callback only.
  std::uint64_t load(char content) {
    std::vector<char> cubin(kCubinBytes, content);
    const std::uint64_t crc = crc_of(cubin.data(), cubin.size());
    CUpti_ModuleResourceData module{};
    module.moduleId = ++modules_;
    module.cubinSize = cubin.size();
    module.pCubin = cubin.data();
    resource(CUPTI_CBID_RESOURCE_MODULE_LOADED, handle(), &module);
    std::memset(cubin.data(), 0, cubin.size());
    return crc;
  }

  void unload() {
    CUpti_ModuleResourceData module{};
    module.moduleId = 1;
    resource(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, handle(), &module);
  }

  void sample(const GpuSample& taken) {
    if (!take_sample(handle(), taken)) return;
    auto& counts = counts_[{taken.function, taken.offset, taken.reason}];
    counts.first += taken.samples;
    counts.second += taken.not_issued;
    total_ += taken.samples;
  }

  std::uint64_t all() const { return total_ + dropped_ + others_; }

  const int rounds_;
  Gpu gpu_;
  Context context_;
  Context other_;
  CUcontext handle_ = reinterpret_cast<CUcontext>(&context_);
  std::uint32_t modules_ = 0;
  std::vector<std::uint64_t> crcs_;
  std::map<std::tuple<std::string, std::uint64_t, std::uint32_t>,
           std::pair<std::uint64_t, std::uint64_t>>
      counts_;
  std::uint64_t total_ = 0, dropped_ = 0, others_ = 0;
};

void fork_once() {
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  waitpid(child, nullptr, 0);
}

}  // namespace

Json samples(int rounds, const std::string& ending) {
  cuInit(0);
  static Samples& work = *new Samples(rounds);
  if (ending == "own_first") work.sample_itself();
  ending == "late" ? work.wait_for_sampling() : work.begin();
  if (ending == "two_contexts") work.make_other_context();
  work.run();
  if (ending == "forked") fork_once();
  if (ending == "reloaded") {
    work.reload();
    work.run();
  }
  if (ending == "range") work.run_in_range();
  if (ending == "own_later") work.sample_itself();
  if (ending == "destroyed") work.destroy();
  if (ending == "executed") {
    std::puts(work.answer().dump().c_str());
    std::fflush(stdout);
    execl("/bin/true", "true", nullptr);
  }
  return work.answer();
}

}  // namespace fake
