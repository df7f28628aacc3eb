// Prints what transfers of UCX within one process cost, ns: the best of many rounds.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucp/api/ucp.h>

enum { kRounds = 20, kCalls = 500 };

static ucp_worker_h worker;
static ucp_ep_h endpoint;
static char from[64], to[64];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void finish(void* request) {
  if (request == NULL) return;
  if (UCS_PTR_IS_ERR(request)) exit(1);
  while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker);
  ucp_request_free(request);
}

static void message(void) {
  const ucp_request_param_t plain = {.op_attr_mask = 0};
  void* receive = ucp_tag_recv_nbx(worker, to, sizeof to, 1, ~0ULL, &plain);
  finish(ucp_tag_send_nbx(endpoint, from, sizeof from, 1, &plain));
  finish(receive);
}

int main(void) {
  const ucp_params_t features = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_TAG};
  const ucp_worker_params_t defaults = {.field_mask = 0};
  ucp_context_h context;
  ucp_address_t* address;
  size_t length;
  if (ucp_init(&features, NULL, &context) != UCS_OK ||
      ucp_worker_create(context, &defaults, &worker) != UCS_OK ||
      ucp_worker_get_address(worker, &address, &length) != UCS_OK)
    return 1;
  const ucp_ep_params_t self = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                .address = address};
  if (ucp_ep_create(worker, &self, &endpoint) != UCS_OK) return 1;
  double best = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = now();
    for (int i = 0; i < kCalls; ++i) message();
    const double each = (now() - begin) / kCalls;
    if (each < best) best = each;
  }
  printf("receive+send %.1f\n", best);
  ucp_ep_destroy(endpoint);
  ucp_worker_release_address(worker, address);
  ucp_worker_destroy(worker);
  ucp_cleanup(context);
  return 0;
}
