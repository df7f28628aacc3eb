// The entry point for NVTX. Each DSO that uses NVTX has a separate hidden function table and calls
// the entry point once, so it runs several times. It always succeeds, because otherwise the client
// would unload this library. It must not call NVTX-annotated code: the client spins until it
// returns.
#include "injection/core/clock.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/cuda_names.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/capture/counted.hpp"
#include "injection/nvtx/capture/trigger.hpp"
#include "injection/nvtx/clients/clients.hpp"
#include "injection/nvtx/clients/registered_strings.hpp"
#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/events.hpp"
#include "injection/nvtx/sync_objects.hpp"
#include "injection/nvtx/thinned.hpp"
#include "injection/nvtx/traced.hpp"

namespace prof::nvtx {

namespace {

template <class Text>
void name_category(Domain domain, std::uint32_t category, Text name) {
  if (!domain.recorded) return;
  core::append(wire::NvtxCategoryRecord{
      core::header_of<wire::NvtxCategoryRecord>(wire::RecordType::kNvtxCategory, domain.id),
      core::now(), core::intern(name), category, 0});
}

template <class Text>
void name_thread(std::uint32_t tid, Text name) {
  core::append(
      wire::ThreadNameRecord{core::header_of<wire::ThreadNameRecord>(
                                 wire::RecordType::kThreadName, tid, wire::kThreadNameFromNvtx),
                             core::now(), core::intern(name)});
}

// `handle` is a context's or stream's handle, or a device's ordinal.
template <class Text>
void name_cuda(wire::CudaObject kind, std::uintptr_t handle, Text name) {
  if (core::has_feature(wire::kFeatureCuda))
    core::name_cuda_object(kind, handle, core::intern(name));
}
template <class Text>
void name_device(int ordinal, Text name) {
  if (ordinal >= 0)
    name_cuda(wire::CudaObject::kDevice, static_cast<std::uintptr_t>(ordinal), name);
}
template <class Text>
void name_context(const void* handle, Text name) {
  name_cuda(wire::CudaObject::kContext, reinterpret_cast<std::uintptr_t>(handle), name);
}
template <class Text>
void name_stream(const void* handle, Text name) {
  name_cuda(wire::CudaObject::kStream, reinterpret_cast<std::uintptr_t>(handle), name);
}

// The handle of a registered string is its hash.
template <class Text>
StringHandle register_string(DomainHandle, Text text) {
  return reinterpret_cast<StringHandle>(core::intern(text));
}

using Attributes = const EventAttributes*;

// The callbacks, with the C signatures of the NVTX API. They return at once while nobody
// collects, but those of ranges count steps if `counts` is true.
void mark_ex(Attributes a) { PROF_EVENT(, mark(default_domain(), a)); }
void mark_a(const char* text) { PROF_EVENT(, mark(default_domain(), text)); }
void mark_w(const wchar_t* text) { PROF_EVENT(, mark(default_domain(), text)); }
template <bool counts>
RangeId range_start_ex(Attributes a) {
  PROF_RANGE(counts, 0, start(default_domain(), a));
}
template <bool counts>
RangeId range_start_a(const char* text) {
  PROF_RANGE(counts, 0, start(default_domain(), text));
}
template <bool counts>
RangeId range_start_w(const wchar_t* text) {
  PROF_RANGE(counts, 0, start(default_domain(), text));
}
template <bool counts>
void range_end(RangeId id) {
  PROF_RANGE(counts, , end(default_domain(), id));
}
template <bool counts>
int range_push_ex(Attributes a) {
  PROF_RANGE(counts, kNoPushPopTracking, push(default_domain(), a));
}
template <bool counts>
int range_push_a(const char* text) {
  PROF_RANGE(counts, kNoPushPopTracking, push(default_domain(), text));
}
template <bool counts>
int range_push_w(const wchar_t* text) {
  PROF_RANGE(counts, kNoPushPopTracking, push(default_domain(), text));
}
template <bool counts>
int range_pop() {
  PROF_RANGE(counts, kNoPushPopTracking, pop(default_domain()));
}
void name_category_a(std::uint32_t c, const char* n) { name_category(default_domain(), c, n); }
void name_category_w(std::uint32_t c, const wchar_t* n) { name_category(default_domain(), c, n); }
void name_thread_a(std::uint32_t tid, const char* name) { name_thread(tid, name); }
void name_thread_w(std::uint32_t tid, const wchar_t* name) { name_thread(tid, name); }

// A CUdevice is the same ordinal as in the CUDA runtime; a cudaStream_t is a CUstream.
void name_device_a(int device, const char* name) { name_device(device, name); }
void name_device_w(int device, const wchar_t* name) { name_device(device, name); }
void name_context_a(void* context, const char* name) { name_context(context, name); }
void name_context_w(void* context, const wchar_t* name) { name_context(context, name); }
void name_stream_a(void* stream, const char* name) { name_stream(stream, name); }
void name_stream_w(void* stream, const wchar_t* name) { name_stream(stream, name); }

void domain_mark_ex(DomainHandle d, Attributes a) { PROF_EVENT(, mark(domain_of(d), a)); }
template <bool counts>
RangeId domain_start_ex(DomainHandle d, Attributes a) {
  PROF_RANGE(counts, 0, start(domain_of(d), a));
}
template <bool counts>
void domain_end(DomainHandle d, RangeId id) {
  PROF_RANGE(counts, , end(domain_of(d), id));
}
template <bool counts>
int domain_push_ex(DomainHandle d, Attributes a) {
  PROF_RANGE(counts, kNoPushPopTracking, push(domain_of(d), a));
}
template <bool counts>
int domain_pop(DomainHandle d) {
  PROF_RANGE(counts, kNoPushPopTracking, pop(domain_of(d)));
}
void domain_category_a(DomainHandle d, std::uint32_t c, const char* n) {
  name_category(domain_of(d), c, n);
}
void domain_category_w(DomainHandle d, std::uint32_t c, const wchar_t* n) {
  name_category(domain_of(d), c, n);
}
StringHandle domain_register_a(DomainHandle d, const char* text) {
  keep_string(text);
  return register_string(d, text);
}
StringHandle domain_register_w(DomainHandle d, const wchar_t* text) {
  return register_string(d, text);
}
DomainHandle domain_create_a(const char* name) { return create_domain(name); }
DomainHandle domain_create_w(const wchar_t* name) { return create_domain(name); }

SyncHandle sync_create(DomainHandle d, const SyncAttributes* a) {
  return create_sync(domain_of(d), a);
}
template <wire::NvtxSync what>
void sync_event(SyncHandle handle) {
  if (!core::is_dormant()) record_sync(handle, what);
}

struct Entry {
  unsigned id;
  FunctionPointer function;
};

template <class Function>
Entry entry(unsigned id, Function* function) {
  return {id, reinterpret_cast<FunctionPointer>(function)};
}

void fill(const ExportCallbacks& exports, Replace replace, Module module, const Entry* entries,
          std::size_t count) {
  FunctionTable table = nullptr;
  unsigned size = 0;
  if (exports.get_module_function_table(module, &table, &size) == 0 || table == nullptr) {
    core::report(wire::DiagnosticCode::kNvtxModuleMissing, static_cast<std::uint64_t>(module));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    FunctionPointer* const place = entries[i].id < size ? table[entries[i].id] : nullptr;
    if (place != nullptr && !replace(place, entries[i].function)) return;
  }
}

template <bool counts>
void give_all(const ExportCallbacks& exports, Replace replace) {
  const Entry core_entries[] = {
      entry(kMarkEx, mark_ex),
      entry(kMarkA, mark_a),
      entry(kMarkW, mark_w),
      entry(kRangeStartEx, range_start_ex<counts>),
      entry(kRangeStartA, range_start_a<counts>),
      entry(kRangeStartW, range_start_w<counts>),
      entry(kRangeEnd, range_end<counts>),
      entry(kRangePushEx, range_push_ex<counts>),
      entry(kRangePushA, range_push_a<counts>),
      entry(kRangePushW, range_push_w<counts>),
      entry(kRangePop, range_pop<counts>),
      entry(kNameCategoryA, name_category_a),
      entry(kNameCategoryW, name_category_w),
      entry(kNameOsThreadA, name_thread_a),
      entry(kNameOsThreadW, name_thread_w),
  };
  const Entry core2_entries[] = {
      entry(kDomainMarkEx, domain_mark_ex),
      entry(kDomainRangeStartEx, domain_start_ex<counts>),
      entry(kDomainRangeEnd, domain_end<counts>),
      entry(kDomainRangePushEx, domain_push_ex<counts>),
      entry(kDomainRangePop, domain_pop<counts>),
      entry(kDomainNameCategoryA, domain_category_a),
      entry(kDomainNameCategoryW, domain_category_w),
      entry(kDomainRegisterStringA, domain_register_a),
      entry(kDomainRegisterStringW, domain_register_w),
      entry(kDomainCreateA, domain_create_a),
      entry(kDomainCreateW, domain_create_w),
      entry(kDomainDestroy, destroy_domain),
  };
  const Entry cuda_entries[] = {
      entry(kNameCuDeviceA, name_device_a),   entry(kNameCuDeviceW, name_device_w),
      entry(kNameCuContextA, name_context_a), entry(kNameCuContextW, name_context_w),
      entry(kNameCuStreamA, name_stream_a),   entry(kNameCuStreamW, name_stream_w),
  };
  const Entry cudart_entries[] = {
      entry(kNameCudaDeviceA, name_device_a),
      entry(kNameCudaDeviceW, name_device_w),
      entry(kNameCudaStreamA, name_stream_a),
      entry(kNameCudaStreamW, name_stream_w),
  };
  const Entry sync_entries[] = {
      entry(kSyncUserCreate, sync_create),
      entry(kSyncUserAcquireStart, sync_event<wire::NvtxSync::kAcquireStart>),
      entry(kSyncUserAcquireFailed, sync_event<wire::NvtxSync::kAcquireFailed>),
      entry(kSyncUserAcquireSuccess, sync_event<wire::NvtxSync::kAcquired>),
      entry(kSyncUserReleasing, sync_event<wire::NvtxSync::kReleasing>),
  };
  const auto fill_all = [&](Module module, const auto& entries) {
    fill(exports, replace, module, entries, sizeof entries / sizeof *entries);
  };
  fill_all(Module::kCore, core_entries);
  fill_all(Module::kCore2, core2_entries);
  fill_all(Module::kCuda, cuda_entries);
  fill_all(Module::kCudart, cudart_entries);
  fill_all(Module::kSync, sync_entries);
}

}  // namespace

void give_functions(const ExportCallbacks& exports, Replace replace) {
  counts_steps() ? give_all<true>(exports, replace) : give_all<false>(exports, replace);
}

}  // namespace prof::nvtx

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    prof::nvtx::GetExportTable get_export_table) {
  using namespace prof;
  if (!nvtx::traced()) return 1;
  const std::uint64_t start = core::now();
  const auto* exports =
      static_cast<const nvtx::ExportCallbacks*>(get_export_table(nvtx::kExportCallbacks));
  if (exports == nullptr || exports->struct_size < sizeof(nvtx::ExportCallbacks)) return 1;
  nvtx::apply_domain_filter();
  nvtx::prepare_trigger();
  nvtx::give_functions(*exports, nvtx::replace_at_start);
  core::report_overhead(wire::OverheadKind::kNvtxStart, start, core::now());
  return 1;
}
