// Describes a pool with nvtxMem*: a heap, regions in it by address and by handle, names, other
// sizes. Prints what a profiler must find.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtMem.h>
#include <pthread.h>
#include <stdio.h>

static char pool[1 << 16];
static char other[256];
static nvtxDomainHandle_t domain;

static nvtxMemHeapHandle_t heap_of(const char* name, uint32_t usage) {
  const nvtxMemVirtualRangeDesc_t range = {sizeof pool, pool};
  nvtxMemHeapDesc_t desc = {.extCompatID = NVTX_EXT_COMPATID_MEM, .structSize = sizeof desc};
  desc.usage = usage;
  desc.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  desc.typeSpecificDescSize = sizeof range;
  desc.typeSpecificDesc = &range;
  desc.category = 7;
  desc.messageType = name == NULL ? NVTX_MESSAGE_UNKNOWN : NVTX_MESSAGE_TYPE_ASCII;
  desc.message.ascii = name;
  return nvtxMemHeapRegister(domain, &desc);
}

static void allocate(nvtxMemHeapHandle_t heap, const nvtxMemVirtualRangeDesc_t* ranges,
                     size_t count, nvtxMemRegionHandle_t* handles) {
  const nvtxMemRegionsRegisterBatch_t batch = {NVTX_EXT_COMPATID_MEM,
                                               sizeof batch,
                                               NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
                                               heap,
                                               count,
                                               sizeof *ranges,
                                               ranges,
                                               handles};
  nvtxMemRegionsRegister(domain, &batch);
}

static void release(uint32_t type, nvtxMemRegionRef_t region) {
  const nvtxMemRegionsUnregisterBatch_t batch = {NVTX_EXT_COMPATID_MEM, sizeof batch, type, 1,
                                                 sizeof region,         &region};
  nvtxMemRegionsUnregister(domain, &batch);
}

static void* release_by_address(void* address) {
  const nvtxMemRegionRef_t region = {.pointer = address};
  release(NVTX_MEM_REGION_REF_TYPE_POINTER, region);
  return NULL;
}

static void name(nvtxMemRegionHandle_t handle, const char* text) {
  const nvtxMemRegionNameDesc_t element = {NVTX_MEM_REGION_REF_TYPE_HANDLE,
                                           NVTX_MESSAGE_TYPE_ASCII,
                                           {.handle = handle},
                                           {.ascii = text},
                                           9,
                                           0};
  const nvtxMemRegionsNameBatch_t batch = {NVTX_EXT_COMPATID_MEM, sizeof batch, 0, 1,
                                           sizeof element,        &element,     0};
  nvtxMemRegionsName(domain, &batch);
}

static void resize(const void* address, size_t size) {
  const nvtxMemVirtualRangeDesc_t range = {size, address};
  const nvtxMemRegionsResizeBatch_t batch = {
      NVTX_EXT_COMPATID_MEM, sizeof batch, NVTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, sizeof range, &range};
  nvtxMemRegionsResize(domain, &batch);
}

int main(void) {
  domain = nvtxDomainCreateA("memory");
  const nvtxMemHeapHandle_t heap = heap_of("pool", NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR);
  const nvtxMemHeapHandle_t reset = heap_of(NULL, NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT);

  const nvtxMemVirtualRangeDesc_t ranges[] = {
      {1000, pool}, {2000, pool + 1000}, {500, pool + 3000}};
  nvtxMemRegionHandle_t handles[3] = {0};
  allocate(heap, ranges, 3, handles);
  name(handles[1], "weights");
  resize(pool, 4000);  // the peak: 6,500 bytes
  const nvtxMemRegionRef_t second = {.handle = handles[1]};
  release(NVTX_MEM_REGION_REF_TYPE_HANDLE, second);
  pthread_t thread;
  pthread_create(&thread, NULL, release_by_address, pool + 3000);
  pthread_join(thread, NULL);
  release_by_address(pool + 3000);  // again: nothing is there

  const nvtxMemVirtualRangeDesc_t more = {300, pool + 3000};
  allocate(reset, &more, 1, NULL);
  nvtxMemHeapReset(domain, reset);
  allocate(reset, &more, 1, NULL);
  nvtxMemHeapUnregister(domain, reset);  // and its region

  const nvtxMemVirtualRangeDesc_t loose = {sizeof other, other};
  allocate(NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE, &loose, 1, NULL);
  nvtxMemRegionsRegister(domain, NULL);

  const nvtxMemPermissionsHandle_t permissions =
      nvtxMemPermissionsCreate(domain, NVTX_MEM_PERMISSIONS_CREATE_FLAGS_NONE);
  printf("{\"pool\": %lu, \"other\": %lu, \"permissions\": %s}\n", (unsigned long)pool,
         (unsigned long)other, permissions == NULL ? "false" : "true");
  return 0;
}
