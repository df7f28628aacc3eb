// Takes CUPTI's only subscription before CUDA starts, as another profiler in the program would.
//  cupti_holder LIBCUPTI
#include <cupti.h>
#include <dlfcn.h>

#include <cstdio>

__global__ void work() {}

namespace {
void CUPTIAPI ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}
}  // namespace

int main(int argc, char** argv) {
  void* library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  if (library == nullptr) {
    std::fprintf(stderr, "usage: cupti_holder LIBCUPTI\n");
    return 2;
  }
  auto* subscribe =
      reinterpret_cast<decltype(&cuptiSubscribe_v2)>(dlsym(library, "cuptiSubscribe_v2"));
  CUpti_SubscriberParams parameters{};
  parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  parameters.subscriberName = "the holder";
  CUpti_SubscriberHandle handle = nullptr;
  const bool held = subscribe != nullptr && subscribe(&handle, ignore, nullptr, &parameters) == 0;
  work<<<1, 1>>>();
  const bool ran = cudaDeviceSynchronize() == cudaSuccess;
  std::printf("{\"held\": %d, \"ran\": %d}\n", held, ran);
  return ran ? 0 : 1;
}
