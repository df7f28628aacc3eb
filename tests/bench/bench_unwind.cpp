// The cost of unwinding: nanoseconds for each frame, warm and cold; time and memory of each module.
#include <dlfcn.h>
#include <malloc.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "common/code/unwind/unwinder.hpp"

namespace {

using namespace prof::unwind;
using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

struct Capture {
  Registers registers;
  std::vector<std::byte> bytes;
  StackSlice stack() const { return {registers[kRsp], bytes}; }
};

constexpr std::size_t kSlice = 16384;
constexpr int kDepth = 30;

std::uint64_t g_stack_end = 0;

void find_stack_end() {
  const auto maps = read_process_maps("self");
  if (!maps) return;
  for (const MapEvent& each : *maps)
    if (each.path == "[stack]") g_stack_end = each.start + each.length;
}

__attribute__((noinline)) void capture(Capture& to) {
  ucontext_t context;
  getcontext(&context);
  const auto& from = context.uc_mcontext.gregs;
  const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                       REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                       REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (unsigned i = 0; i < kRegisterCount; ++i)
    to.registers.set(i, static_cast<std::uint64_t>(from[order[i]]));
  const auto* stack = reinterpret_cast<const std::byte*>(to.registers[kRsp]);
  to.bytes.assign(stack, stack + std::min(kSlice, g_stack_end - to.registers[kRsp]));
}

template <int kKind>
__attribute__((noinline)) int descend(Capture& to, int depth) {
  volatile int local[4 + 8 * kKind];
  local[0] = depth;
  if (depth <= 0)
    capture(to);
  else
    local[1] = descend<(kKind + 1) % 10>(to, depth - 1);
  return local[0];
}

void add_maps(ModuleMap& map) {
  const auto maps = read_process_maps("self", 1);
  if (!maps) return;
  for (const auto& each : *maps) map.add(each);
}

void measure_chains(const Capture& taken) {
  Unwinder unwinder;
  CallChain chain;
  Modules modules;
  ModuleMap map(modules);
  add_maps(map);
  auto start = Clock::now();
  unwinder.unwind(map, 1, taken.registers, taken.stack(), chain);
  const double cold = nanoseconds_since(start);
  std::printf("chain of %zu frames: %s\n", chain.frames.size(),
              std::string(describe(chain.stop)).c_str());
  std::printf("the first one, with reading the modules: %.0f us\n", cold / 1e3);
  constexpr int kRounds = 20000;
  double best = 1e18;
  for (int repeat = 0; repeat < 5; ++repeat) {
    start = Clock::now();
    for (int i = 0; i < kRounds; ++i)
      unwinder.unwind(map, 1, taken.registers, taken.stack(), chain);
    best = std::min(best, nanoseconds_since(start) / kRounds);
  }
  std::printf("warm: %.0f ns a chain, %.1f ns a frame\n", best,
              best / static_cast<double>(chain.frames.size()));
}

// Includes the memory that libdw keeps.
std::size_t allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Addresses in all parts of a module's code: first every look-up is cold, then the same are
// repeated.
void measure_module(const std::string& path) {
  const std::size_t before = allocated();
  auto start = Clock::now();
  Module module(FileIdentity{path, 0, 0, {}}, FilePlaces{});
  CfiTable* frames = module.frames();
  const double read = nanoseconds_since(start);
  const std::size_t sections = allocated() - before;
  const auto image = prof::symbols::ElfImage::open(path);
  if (frames == nullptr || !image) {
    std::printf("%s: %s\n", path.c_str(), module.problem().c_str());
    return;
  }
  prof::symbols::Segment code;
  for (const auto& each : image->segments())
    if (each.executable) code = each;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> addresses(20000);
  for (auto& each : addresses) each = code.address + random() % code.size;
  double times[2];
  for (double& time : times) {
    start = Clock::now();
    for (const auto each : addresses) frames->find(each);
    time = nanoseconds_since(start) / static_cast<double>(addresses.size());
  }
  std::printf(
      "%s: %.1f ms to read; a look-up %.0f ns cold, %.0f ns warm; %zu rows, %zu rule sets; "
      "%zu KiB after reading, %zu KiB then\n",
      path.c_str(), read / 1e6, times[0], times[1], frames->row_count(), frames->rule_sets(),
      sections / 1024, (allocated() - before) / 1024);
}

}  // namespace

// Takes paths of further modules to measure.
int main(int count, char** words) {
  find_stack_end();
  Capture taken;
  descend<0>(taken, kDepth);
  measure_chains(taken);
  std::vector<std::string> modules(words + 1, words + count);
  for (const char* name : {"libc.so.6", "libstdc++.so.6"}) {
    Dl_info info;
    void* library = dlopen(name, RTLD_NOW);
    void* symbol =
        library != nullptr ? dlsym(library, name[3] == 'c' ? "qsort" : "_ZSt4cout") : nullptr;
    if (symbol != nullptr && dladdr(symbol, &info) != 0) modules.emplace_back(info.dli_fname);
  }
  for (const std::string& each : modules) measure_module(each);
}
