// Calls as activities, the external correlation ids of threads, attributes and names of results.
#include <pthread.h>
#include <sys/syscall.h>

#include <vector>

#include "fake_state.hpp"

namespace fake {

namespace {

constexpr int kExternalKinds = CUPTI_EXTERNAL_CORRELATION_KIND_SIZE;
thread_local std::vector<std::uint64_t> t_external[kExternalKinds];

bool is_valid(CUpti_ExternalCorrelationKind kind) {
  return kind > CUPTI_EXTERNAL_CORRELATION_KIND_INVALID && kind < kExternalKinds;
}

}  // namespace

std::uint32_t thread_id(CUpti_ActivityThreadIdType type) {
  if (type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) return static_cast<std::uint32_t>(gettid());
  return static_cast<std::uint32_t>(pthread_self());
}

void record_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, std::uint32_t correlation,
                 std::uint64_t start, std::int32_t result) {
  const auto kind = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? CUPTI_ACTIVITY_KIND_RUNTIME
                                                          : CUPTI_ACTIVITY_KIND_DRIVER;
  if (!is_enabled(kind) || state().hidden_apis[domain].test(id)) return;
  for (int external = 0; external < kExternalKinds; ++external) {
    if (t_external[external].empty()) continue;
    CUpti_ActivityExternalCorrelation record{};
    record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    record.externalKind = static_cast<CUpti_ExternalCorrelationKind>(external);
    record.externalId = t_external[external].back();
    record.correlationId = correlation;
    fake::record(&record, sizeof record);
  }
  record_external_ids_for_subscribers(correlation);
  CUpti_ActivityAPI record{};
  record.kind = kind;
  record.cbid = id;
  record.start = start;
  record.end = now();
  record.processId = static_cast<std::uint32_t>(getpid());
  record.threadId = thread_id(state().thread_ids);
  record.correlationId = correlation;
  record.returnValue = static_cast<std::uint32_t>(result);
  fake::record(&record, sizeof record);
}

}  // namespace fake

extern "C" {

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                   std::uint64_t id) {
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  if (!fake::is_valid(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
  fake::t_external[kind].push_back(id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                  std::uint64_t* last) {
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  if (!fake::is_valid(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
  auto& ids = fake::t_external[kind];
  if (ids.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  if (last != nullptr) *last = ids.back();
  ids.pop_back();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize() {
  fake::State& s = fake::state();
  const std::lock_guard lock(s.lock);
  s.callback = nullptr;
  s.kinds.reset();
  for (auto& domain : s.callbacks) domain.reset();
  s.timestamp = nullptr;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, std::size_t* size,
                                      void* value) {
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  if (size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  std::memcpy(&fake::state().attributes[attribute], value, sizeof(std::size_t));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute, std::size_t* size,
                                      void* value) {
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  if (size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  std::memcpy(value, &fake::state().attributes[attribute], sizeof(std::size_t));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_SUCCESS         ? "CUPTI_SUCCESS"
          : result == CUPTI_ERROR_UNKNOWN ? "CUPTI_ERROR_UNKNOWN"
                                          : "CUPTI_ERROR_OF_THE_FAKE";
  return CUPTI_SUCCESS;
}

}  // extern "C"
