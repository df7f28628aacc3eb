/* Loads the driver and initializes it, but does nothing else with it: no context, no stream. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int (*init_function)(unsigned);
typedef int (*count_function)(int*);

/* POSIX allows to find a function with dlsym, but ISO C has no cast for it. */
static int find(void* library, const char* name, void* function) {
  void* const symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

int main(void) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  init_function cu_init = NULL;
  count_function cu_device_get_count = NULL;
  if (!driver || !find(driver, "cuInit", &cu_init) ||
      !find(driver, "cuDeviceGetCount", &cu_device_get_count)) {
    fprintf(stderr, "%s\n", driver ? "no cuInit in libcuda.so.1" : dlerror());
    return 1;
  }
  const int initialised = cu_init(0);
  int devices = -1;
  const int counted = cu_device_get_count(&devices);
  printf(
      "{\"pid\": %d, \"cuInit\": %d, \"cuDeviceGetCount\": %d, \"devices\": %d, "
      "\"driver_calls\": {\"cuInit\": 1, \"cuDeviceGetCount\": 1}}\n",
      (int)getpid(), initialised, counted, devices);
  return initialised == 0 && counted == 0 && devices > 0 ? 0 : 1;
}
