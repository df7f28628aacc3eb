// Settings that CUPTI has only once per process: attributes, switches, the period of flushes.
#include <cstring>

#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/cupti_api.hpp"
#include "injection/cuda/cupti_v2.hpp"

namespace prof::cuda::clients {

namespace {

constinit std::atomic<std::uint32_t> g_own_period{0};  // the period of our tracer, ms

std::size_t size_of(CUpti_ActivityAttribute attribute) {
  switch (attribute) {
    case CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER:
    case CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED:
    case CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER:
      return sizeof(std::uint8_t);
    default:
      return sizeof(std::size_t);
  }
}

// True for attributes of buffers, of which prof and each client have their own. CUPTI itself keeps
// the others.
bool is_kept(CUpti_ActivityAttribute attribute) {
  return static_cast<unsigned>(attribute) <=
         static_cast<unsigned>(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS);
}

// True for attributes that belong to the functions with a subscriber. One of them lets the client
// choose the members of records, another one replaces the clock: both would change prof's records.
bool is_of_subscriber(CUpti_ActivityAttribute attribute) {
  const auto number = static_cast<unsigned>(attribute);
  return number >= v2::kFirstAttribute && number < kAttributes;
}

// Sets CUPTI's period to the shortest that our tracer or a client needs. The caller holds
// g_configuration.
CUptiResult update_period() {
  std::uint64_t shortest = g_own_period.load(std::memory_order_relaxed);
  for_each([&](const Client& client) {
    const std::uint64_t period = client.flush_period.load(std::memory_order_relaxed) / 1'000'000;
    if (period != 0 && (shortest == 0 || period < shortest)) shortest = period;
  });
  if (g_real.cuptiActivityFlushPeriod == nullptr) return CUPTI_ERROR_NOT_SUPPORTED;
  return g_real.cuptiActivityFlushPeriod(static_cast<std::uint32_t>(shortest));
}

CUptiResult own_flush_period(std::uint32_t milliseconds) {
  const Locked configuration(g_configuration);
  g_own_period.store(milliseconds, std::memory_order_relaxed);
  return update_period();
}

// Our tracer uses the hardware trace, too, so no client can switch it off.
constexpr unsigned kHardware = static_cast<unsigned>(Switch::kHardwareTrace);

using SetSwitch = CUptiResult(std::uint8_t);
SetSwitch* actual_switch(Switch which) {
  switch (which) {
    case Switch::kLatencyTimestamps:
      return g_real.cuptiActivityEnableLatencyTimestamps;
    case Switch::kLaunchAttributes:
      return g_real.cuptiActivityEnableLaunchAttributes;
    case Switch::kDeviceGraph:
      return g_real.cuptiActivityEnableDeviceGraph;
    case Switch::kHardwareTrace:
      return g_real.cuptiActivityEnableHWTrace;
    case Switch::kAllocationSource:
      return g_real.cuptiActivityEnableAllocationSource;
    case Switch::kAllSyncRecords:
      return g_real.cuptiActivityEnableAllSyncRecords;
    case Switch::kEventTimestamps:
      return g_real.cuptiActivityEnableCudaEventDeviceTimestamps;
    case Switch::kCount:
      break;
  }
  return nullptr;
}

bool is_on_for_another(const Client& client, Switch which) {
  bool on = false;
  for_each([&](const Client& other) {
    on = on || (&other != &client && other.switches.has(static_cast<unsigned>(which)));
  });
  return on;
}

}  // namespace

bool want_latencies() {
  bool found = false;
  for_each([&](const Client& client) {
    found = found || client.switches.has(static_cast<unsigned>(Switch::kLatencyTimestamps));
  });
  return found;
}

void share() {
  g_real = g_cupti;
  share_kinds();
  share_callbacks();
  if (g_cupti.cuptiActivityFlushPeriod != nullptr)
    g_cupti.cuptiActivityFlushPeriod = own_flush_period;
}

CUptiResult set_attribute(Client& client, CUpti_ActivityAttribute attribute, std::size_t* size,
                          void* value) {
  if (is_of_subscriber(attribute)) return CUPTI_ERROR_NOT_SUPPORTED;
  if (!is_kept(attribute)) return g_real.cuptiActivitySetAttribute(attribute, size, value);
  if (size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (*size < size_of(attribute)) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  const auto number = static_cast<unsigned>(attribute);
  const Locked state(client.state);
  client.attributes[number] = 0;
  std::memcpy(&client.attributes[number], value, size_of(attribute));
  client.has_attribute.set(number, true);
  return CUPTI_SUCCESS;
}

CUptiResult get_attribute(Client& client, CUpti_ActivityAttribute attribute, std::size_t* size,
                          void* value) {
  const auto number = static_cast<unsigned>(attribute);
  if (is_of_subscriber(attribute)) return CUPTI_ERROR_NOT_SUPPORTED;
  if (!is_kept(attribute) || !client.has_attribute.has(number))
    return g_real.cuptiActivityGetAttribute(attribute, size, value);
  if (size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (*size < size_of(attribute)) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  const Locked state(client.state);
  *size = size_of(attribute);
  std::memcpy(value, &client.attributes[number], *size);
  return CUPTI_SUCCESS;
}

CUptiResult set_flush_period(Client& client, std::uint32_t milliseconds) {
  const Locked configuration(g_configuration);
  client.flush_period.store(std::uint64_t{milliseconds} * 1'000'000, std::memory_order_relaxed);
  return update_period();
}

CUptiResult set_switch(Client& client, Switch which, bool on) {
  SetSwitch* const function = actual_switch(which);
  if (function == nullptr) return CUPTI_ERROR_NOT_SUPPORTED;
  const Locked configuration(g_configuration);
  const bool was_on = client.switches.has(static_cast<unsigned>(which));
  client.switches.set(static_cast<unsigned>(which), on);
  if (!on && (is_on_for_another(client, which) || static_cast<unsigned>(which) == kHardware))
    return CUPTI_SUCCESS;
  const CUptiResult result = function(on ? 1 : 0);
  if (result != CUPTI_SUCCESS) client.switches.set(static_cast<unsigned>(which), was_on);
  return result;
}

CUptiResult set_thread_ids(Client& client, CUpti_ActivityThreadIdType type) {
  if (type != CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT && type != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM)
    return CUPTI_ERROR_NOT_SUPPORTED;
  const Locked state(client.state);
  client.wishes.thread_ids = type;
  return CUPTI_SUCCESS;
}

CUptiResult get_thread_ids(Client& client, CUpti_ActivityThreadIdType* type) {
  if (type == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const Locked state(client.state);
  *type = client.wishes.thread_ids;
  return CUPTI_SUCCESS;
}

CUptiResult detach(Client& client) {
  if (client.subscribed.load(std::memory_order_relaxed))
    unsubscribe(reinterpret_cast<CUpti_SubscriberHandle>(&client));
  disable_all_kinds(client);
  hand_over(client, true);
  for (unsigned which = 0; which < static_cast<unsigned>(Switch::kCount); ++which)
    if (client.switches.has(which)) set_switch(client, static_cast<Switch>(which), false);
  if (client.flush_period.load(std::memory_order_relaxed) != 0) set_flush_period(client, 0);
  const Locked state(client.state);
  client.wishes = {};
  client.has_attribute.fill(false);
  return CUPTI_SUCCESS;
}

}  // namespace prof::cuda::clients
