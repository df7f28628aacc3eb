// Two workers of one process that exchange messages over UCX. Prints the uids of the workers and,
// for each transfer, what it moved. Exits with 1 if something that the program gave to UCX did not
// come back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

static ucp_context_h context;
static ucp_worker_h workers[2];  // 0 sends to 1
static ucp_ep_h endpoint;
static int callbacks;

#define CHECK(what)                                      \
  do {                                                   \
    if (!(what)) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, #what); \
      exit(1);                                           \
    }                                                    \
  } while (0)

static void progress(void) {
  ucp_worker_progress(workers[0]);
  ucp_worker_progress(workers[1]);
}

static ucs_status_t finish(void* request) {
  if (request == NULL) return UCS_OK;
  CHECK(!UCS_PTR_IS_ERR(request));
  while (ucp_request_check_status(request) == UCS_INPROGRESS) progress();
  const ucs_status_t status = ucp_request_check_status(request);
  ucp_request_free(request);
  return status;
}

static unsigned long long uid_of(ucp_worker_h worker, ucp_address_t** address) {
  size_t length;
  CHECK(ucp_worker_get_address(worker, address, &length) == UCS_OK);
  ucp_worker_address_attr_t facts = {.field_mask = UCP_WORKER_ADDRESS_ATTR_FIELD_UID};
  CHECK(ucp_worker_address_query(*address, &facts) == UCS_OK);
  return facts.worker_uid;
}

static void on_received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                        void* data) {
  (void)request;
  CHECK(status == UCS_OK && data == &callbacks && info->length == 100 && info->sender_tag == 7);
  ++callbacks;
}

static void on_sent(void* request, ucs_status_t status, void* data) {
  (void)request;
  CHECK(status == UCS_OK && data == NULL);
  ++callbacks;
}

// A receive that waits before its message is sent.
static void callback_and_data(char* from, char* to) {
  const ucp_request_param_t receive = {
      .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
      .cb.recv = on_received,
      .user_data = &callbacks};
  void* request = ucp_tag_recv_nbx(workers[1], to, 200, 0, 0, &receive);
  const ucp_request_param_t send = {.op_attr_mask = 0};
  CHECK(finish(ucp_tag_send_nbx(endpoint, from, 100, 7, &send)) == UCS_OK);
  CHECK(finish(request) == UCS_OK && callbacks == 1);
  printf("message 7 100\n");
}

// So large that both sides take part. The sender has no callback, or one without data.
static void large(char* from, char* to, size_t bytes) {
  const ucp_request_param_t plain = {.op_attr_mask = 0};
  const ucp_request_param_t with_callback = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK,
                                             .cb.send = on_sent};
  for (int i = 0; i < 2; ++i) {
    void* send = ucp_tag_send_nbx(endpoint, from, bytes, 8 + i, i == 0 ? &plain : &with_callback);
    CHECK(UCS_PTR_IS_PTR(send));
    CHECK(finish(ucp_tag_recv_nbx(workers[1], to, bytes, 8 + i, ~0ULL, &plain)) == UCS_OK);
    CHECK(finish(send) == UCS_OK);
    printf("message %d %zu\n", 8 + i, bytes);
  }
  CHECK(callbacks == 2 && to[bytes - 1] == from[bytes - 1]);
}

static void on_old_sent(void* request, ucs_status_t status) {
  (void)request;
  CHECK(status == UCS_OK);
  ++callbacks;
}

static void on_old_received(void* request, ucs_status_t status, ucp_tag_recv_info_t* info) {
  (void)request;
  CHECK(status == UCS_OK && info->length % 40 == 0);
  ++callbacks;
}

static void old_functions(char* from, char* to) {
  void* request =
      ucp_tag_recv_nb(workers[1], to, 25, ucp_dt_make_contig(8), 20, ~0ULL, on_old_received);
  void* send = ucp_tag_send_nb(endpoint, from, 5, ucp_dt_make_contig(8), 20, on_old_sent);
  CHECK(finish(send) == UCS_OK && finish(request) == UCS_OK);
  CHECK(callbacks == (send == NULL ? 3 : 4));
  printf("message 20 40\n");
}

static void pieces(char* from, char* to) {
  ucp_dt_iov_t list[] = {{from, 30}, {from + 50, 12}};
  const ucp_request_param_t send = {.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE,
                                    .datatype = ucp_dt_make_iov()};
  const ucp_request_param_t receive = {.op_attr_mask = 0};
  void* request = ucp_tag_send_nbx(endpoint, list, 2, 30, &send);
  CHECK(finish(ucp_tag_recv_nbx(workers[1], to, 42, 30, ~0ULL, &receive)) == UCS_OK);
  CHECK(finish(request) == UCS_OK);
  printf("message 30 42\n");
}

static void cancelled(char* to) {
  const ucp_request_param_t receive = {.op_attr_mask = 0};
  void* request = ucp_tag_recv_nbx(workers[1], to, 16, 99, ~0ULL, &receive);
  CHECK(UCS_PTR_IS_PTR(request));
  ucp_request_cancel(workers[1], request);
  CHECK(finish(request) == UCS_ERR_CANCELED);
}

static void remote_memory(char* from, char* to) {
  const ucp_mem_map_params_t where = {
      .field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
      .address = to,
      .length = 4096};
  ucp_mem_h memory;
  void* key;
  size_t length;
  ucp_rkey_h remote;
  CHECK(ucp_mem_map(context, &where, &memory) == UCS_OK);
  CHECK(ucp_rkey_pack(context, memory, &key, &length) == UCS_OK);
  CHECK(ucp_ep_rkey_unpack(endpoint, key, &remote) == UCS_OK);
  const ucp_request_param_t plain = {.op_attr_mask = 0};
  CHECK(finish(ucp_put_nbx(endpoint, from, 64, (uint64_t)to, remote, &plain)) == UCS_OK);
  CHECK(finish(ucp_ep_flush_nbx(endpoint, &plain)) == UCS_OK);
  CHECK(memcmp(from, to, 64) == 0);
  printf("put 64\n");
  ucp_rkey_destroy(remote);
  ucp_rkey_buffer_release(key);
  CHECK(ucp_mem_unmap(context, memory) == UCS_OK);
}

int main(void) {
  const ucp_params_t features = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_TAG | UCP_FEATURE_RMA};
  const ucp_worker_params_t defaults = {.field_mask = 0};
  ucp_address_t* addresses[2];
  enum { kLarge = 4 << 20 };
  char* from = malloc(kLarge);
  char* to = aligned_alloc(4096, kLarge);
  for (int i = 0; i < kLarge; ++i) from[i] = (char)(i * 7);
  CHECK(ucp_init(&features, NULL, &context) == UCS_OK);
  for (int i = 0; i < 2; ++i) {
    CHECK(ucp_worker_create(context, &defaults, &workers[i]) == UCS_OK);
    printf("worker %lld\n", (long long)uid_of(workers[i], &addresses[i]));
  }
  const ucp_ep_params_t other = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                 .address = addresses[1]};
  CHECK(ucp_ep_create(workers[0], &other, &endpoint) == UCS_OK);
  callback_and_data(from, to);
  large(from, to, kLarge);
  old_functions(from, to);
  pieces(from, to);
  cancelled(to);
  remote_memory(from, to);
  const ucp_request_param_t plain = {.op_attr_mask = 0};
  CHECK(finish(ucp_ep_close_nbx(endpoint, &plain)) == UCS_OK);
  for (int i = 0; i < 2; ++i) {
    ucp_worker_release_address(workers[i], addresses[i]);
    ucp_worker_destroy(workers[i]);
  }
  ucp_cleanup(context);
  free(from);
  free(to);
  return 0;
}
