// Kinds of activities. A kind is enabled in CUPTI as long as our tracer or a client wants it. A
// client gets the records of the calls from the time it enables a kind until it disables the kind,
// including those that CUPTI delivers later.
#include <initializer_list>

#include "injection/core/clock.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/cupti_api.hpp"
#include "injection/cuda/cupti_v2.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::clients {

namespace {

constinit Set<kKinds> g_own_kinds{};      // enabled by our tracer
constinit Set<kKinds> g_enabled_kinds{};  // enabled in CUPTI

unsigned number(CUpti_ActivityKind kind) { return static_cast<unsigned>(kind); }
bool is_known(CUpti_ActivityKind kind) {
  return kind > CUPTI_ACTIVITY_KIND_INVALID && number(kind) < kKinds;
}

// Records of KERNEL and CONCURRENT_KERNEL are the same. But for KERNEL CUPTI runs one kernel at a
// time, so clients that want KERNEL get records of CONCURRENT_KERNEL.
CUpti_ActivityKind source_of(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_KERNEL ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL : kind;
}

// True if the client has the kind enabled. The caller holds g_configuration, which guards this
// data.
bool has_open(const Client& client, CUpti_ActivityKind kind) {
  if (!client.wishes.kinds[number(kind)].open) return false;
  return !is_api(kind) || client.apis[api_index(kind)].whole;
}

bool wants(const Client& client, CUpti_ActivityKind kind) {
  return has_open(client, kind) || (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
                                    has_open(client, CUPTI_ACTIVITY_KIND_KERNEL));
}

// True if the client needs the nodes of graphs. With GRAPH_TRACE, CUPTI makes one record for the
// launch of a graph and none for its nodes.
bool needs_nodes(const Client& client) {
  return !wants(client, CUPTI_ACTIVITY_KIND_GRAPH_TRACE) &&
         (wants(client, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ||
          wants(client, CUPTI_ACTIVITY_KIND_MEMCPY) || wants(client, CUPTI_ACTIVITY_KIND_MEMSET));
}

// True if a client gets no nodes of graphs any more: CUPTI would record neither nodes nor whole
// launches after a change.
bool do_graphs_stay_whole() {
  return g_real.version >= v2::kGraphsStayWhole &&
         g_enabled_kinds.has(number(CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
}

bool is_wanted(CUpti_ActivityKind kind) {
  bool wanted = g_own_kinds.has(number(kind));
  // Our tracer makes launches of nodes, but a client that wants launches gets them.
  if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && are_launches_made()) wanted = false;
  bool hidden = false;
  for_each([&](const Client& client) {
    wanted = wanted || wants(client, kind);
    hidden = hidden || (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && needs_nodes(client));
  });
  return wanted && (!hidden || do_graphs_stay_whole());
}

CUptiResult update(CUpti_ActivityKind kind) {
  const bool wanted = is_wanted(kind);
  if (wanted == g_enabled_kinds.has(number(kind))) return CUPTI_SUCCESS;
  const CUptiResult result =
      wanted ? g_real.cuptiActivityEnable(kind) : g_real.cuptiActivityDisable(kind);
  if (result == CUPTI_SUCCESS) g_enabled_kinds.set(number(kind), wanted);
  return result;
}

CUptiResult update_with_graphs(CUpti_ActivityKind kind) {
  const CUptiResult result = update(source_of(kind));
  if (are_present() && kind != CUPTI_ACTIVITY_KIND_GRAPH_TRACE)
    update(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  return result;
}

// Reports once for each client that it does not get the nodes of graphs.
void report_missing_nodes(Client& client) {
  if (!needs_nodes(client) || !do_graphs_stay_whole() || client.lacks_nodes) return;
  client.lacks_nodes = true;
  core::report_each(wire::DiagnosticCode::kCuptiGraphsWhole,
                    client.name.load(std::memory_order_relaxed));
}

void open(Client& client, CUpti_ActivityKind kind) {
  const std::uint32_t first = next_correlation() + 1;
  const Locked state(client.state);
  Windows& windows = client.wishes.kinds[number(kind)];
  windows.last[windows.count % Windows::kMaximum] = {first, kNotYet, core::monotonic_raw(),
                                                     ~std::uint64_t{0}};
  ++windows.count;
  windows.open = true;
  client.open_kinds.fetch_add(1, std::memory_order_relaxed);
  client.needs_buffer.store(true, std::memory_order_relaxed);
}

void close(Client& client, CUpti_ActivityKind kind) {
  const std::uint32_t last = next_correlation();
  const Locked state(client.state);
  Windows& windows = client.wishes.kinds[number(kind)];
  Window& window = windows.last[(windows.count - 1) % Windows::kMaximum];
  window.last = last;
  window.end = core::monotonic_raw();
  windows.open = false;
  client.open_kinds.fetch_sub(1, std::memory_order_relaxed);
}

bool is_open(const Client& client, CUpti_ActivityKind kind) {
  return client.wishes.kinds[number(kind)].open;
}

CUptiResult enable_actual_api(CUpti_ActivityKind kind, CUpti_CallbackId id, bool on) {
  const auto enable = kind == CUPTI_ACTIVITY_KIND_RUNTIME ? g_real.cuptiActivityEnableRuntimeApi
                                                          : g_real.cuptiActivityEnableDriverApi;
  return enable == nullptr ? CUPTI_ERROR_NOT_SUPPORTED : enable(id, on ? 1 : 0);
}

bool is_api_wanted(CUpti_ActivityKind kind, CUpti_CallbackId id) {
  bool wanted = needs_call_records(kind, id);
  for_each([&](const Client& client) {
    wanted = wanted || (is_open(client, kind) && client.apis[api_index(kind)].functions.has(id));
  });
  return wanted;
}

bool is_api_kind_open(CUpti_ActivityKind kind) {
  bool open = false;
  for_each([&](const Client& client) { open = open || is_open(client, kind); });
  return open;
}

bool is_whole(CUpti_ActivityKind kind) {
  bool whole = false;
  for_each([&](const Client& client) { whole = whole || has_open(client, kind); });
  return whole;
}

bool are_all_calls_recorded() {
  return is_whole(CUPTI_ACTIVITY_KIND_RUNTIME) && is_whole(CUPTI_ACTIVITY_KIND_DRIVER);
}

// A client still wants records of some functions; those of the others are switched off one by one.
void narrow_api(CUpti_ActivityKind kind, const Set<kIds>& before) {
  for (CUpti_CallbackId id = 1; id < kIds; ++id)
    if (before.has(id) && !is_api_wanted(kind, id)) enable_actual_api(kind, id, false);
}

CUptiResult enable_whole_api(Client& client, CUpti_ActivityKind kind) {
  Apis& apis = client.apis[api_index(kind)];
  if (!is_open(client, kind)) open(client, kind);
  apis.whole = true;
  apis.functions.fill(true);
  // Enables the kind again if it is enabled: functions may have been switched off since.
  const CUptiResult result = g_real.cuptiActivityEnable(kind);
  if (result == CUPTI_SUCCESS) {
    g_enabled_kinds.set(number(kind), true);
    if (are_all_calls_recorded()) begin_call_records();
  } else {
    apis.whole = false;
    close(client, kind);
  }
  return result;
}

CUptiResult drop(CUpti_ActivityKind kind) {
  g_enabled_kinds.set(number(kind), false);
  return g_real.cuptiActivityDisable(kind);
}

CUptiResult disable_whole_api(Client& client, CUpti_ActivityKind kind) {
  close(client, kind);
  client.apis[api_index(kind)].whole = false;
  const bool goes_on = !are_all_calls_recorded() && end_call_records();
  if (is_api_kind_open(kind)) {
    narrow_api(kind, client.apis[api_index(kind)].functions);
    return CUPTI_SUCCESS;
  }
  return goes_on ? CUPTI_SUCCESS : drop(kind);
}

CUptiResult own_enable_kind(CUpti_ActivityKind kind) {
  if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && g_real.version >= v2::kGraphsStayWhole)
    choose_graph_nodes();
  const Locked configuration(g_configuration);
  g_own_kinds.set(number(kind), true);
  const CUptiResult result = update_with_graphs(kind);
  if (result != CUPTI_SUCCESS) g_own_kinds.set(number(kind), false);
  return result;
}

CUptiResult own_disable_kind(CUpti_ActivityKind kind) {
  const Locked configuration(g_configuration);
  g_own_kinds.set(number(kind), false);
  return update_with_graphs(kind);
}

}  // namespace

void share_kinds() {
  g_cupti.cuptiActivityEnable = own_enable_kind;
  g_cupti.cuptiActivityDisable = own_disable_kind;
}

void drop_call_kinds() {
  Set<kIds> all;
  all.fill(true);
  for (const CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER}) {
    if (!g_enabled_kinds.has(number(kind)) || is_whole(kind)) continue;
    is_api_kind_open(kind) ? narrow_api(kind, all) : static_cast<void>(drop(kind));
  }
}

void show_calls(CUpti_ActivityKind kind, CUpti_CallbackId id) { enable_actual_api(kind, id, true); }

bool is_own(CUpti_ActivityKind kind) { return g_own_kinds.has(number(kind)); }

CUptiResult enable_kind(Client& client, CUpti_ActivityKind kind, bool dump) {
  if (!is_known(kind)) return g_real.cuptiActivityEnable(kind);
  read_clock(client);
  find_mark();
  const Locked configuration(g_configuration);
  if (is_api(kind)) return enable_whole_api(client, kind);
  const bool was_open = is_open(client, kind);
  if (!was_open) open(client, kind);
  CUptiResult result = update_with_graphs(kind);
  if (result == CUPTI_SUCCESS && dump && g_real.cuptiActivityEnableAndDump != nullptr)
    result = g_real.cuptiActivityEnableAndDump(source_of(kind));
  if (result != CUPTI_SUCCESS && !was_open) close(client, kind);
  report_missing_nodes(client);
  return result;
}

CUptiResult disable_kind(Client& client, CUpti_ActivityKind kind) {
  if (!is_known(kind)) return g_real.cuptiActivityDisable(kind);
  // The reading is for the records that are still to come: later the clock is not read any more.
  if (client.open_kinds.load(std::memory_order_relaxed) != 0) read_clock(client);
  find_mark();
  const Locked configuration(g_configuration);
  if (!is_open(client, kind)) return CUPTI_SUCCESS;
  if (is_api(kind)) return disable_whole_api(client, kind);
  close(client, kind);
  return update_with_graphs(kind);
}

void disable_all_kinds(Client& client) {
  for (unsigned kind = 1; kind < kKinds; ++kind)
    disable_kind(client, static_cast<CUpti_ActivityKind>(kind));
}

CUptiResult enable_api(Client& client, CUpti_ActivityKind kind, CUpti_CallbackId id, bool on) {
  if (id >= kIds) return CUPTI_ERROR_INVALID_PARAMETER;
  read_clock(client);
  find_mark();
  const Locked configuration(g_configuration);
  Apis& apis = client.apis[api_index(kind)];
  if (!is_open(client, kind)) {
    if (!on) return CUPTI_SUCCESS;
    apis.functions.fill(false);
    open(client, kind);
  }
  apis.functions.set(id, on);
  return on || !is_api_wanted(kind, id) ? enable_actual_api(kind, id, on) : CUPTI_SUCCESS;
}

}  // namespace prof::cuda::clients
