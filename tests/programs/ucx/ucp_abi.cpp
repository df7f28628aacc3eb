// Compares what injection/ucx knows of UCX's structures with its headers. It is compiled only.
#include "injection/ucx/ucp_abi.hpp"

#include <ucp/api/ucp.h>

namespace {

using namespace prof::ucx;

#define SAME_PLACE(ours, our_field, theirs, their_field) \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field))
SAME_PLACE(RequestParam, mask, ucp_request_param_t, op_attr_mask);
SAME_PLACE(RequestParam, callback, ucp_request_param_t, cb);
SAME_PLACE(RequestParam, datatype, ucp_request_param_t, datatype);
SAME_PLACE(RequestParam, user_data, ucp_request_param_t, user_data);
SAME_PLACE(RequestParam, receive_info, ucp_request_param_t, recv_info);
SAME_PLACE(RequestParam, memory, ucp_request_param_t, memh);
SAME_PLACE(EndpointParams, mask, ucp_ep_params_t, field_mask);
SAME_PLACE(EndpointParams, address, ucp_ep_params_t, address);
SAME_PLACE(AddressFacts, mask, ucp_worker_address_attr_t, field_mask);
SAME_PLACE(AddressFacts, uid, ucp_worker_address_attr_t, worker_uid);
SAME_PLACE(Received, tag, ucp_tag_recv_info_t, sender_tag);
SAME_PLACE(Received, length, ucp_tag_recv_info_t, length);
SAME_PLACE(Piece, length, ucp_dt_iov_t, length);
static_assert(sizeof(Piece) == sizeof(ucp_dt_iov_t));
static_assert(sizeof(Status) == sizeof(ucs_status_t));
static_assert(kUnsupported == UCS_ERR_UNSUPPORTED);
static_assert(kHasCallback == UCP_OP_ATTR_FIELD_CALLBACK &&
              kHasUserData == UCP_OP_ATTR_FIELD_USER_DATA &&
              kHasDatatype == UCP_OP_ATTR_FIELD_DATATYPE && kHasMemory == UCP_OP_ATTR_FIELD_MEMH);
static_assert(kHasRemoteAddress == UCP_EP_PARAM_FIELD_REMOTE_ADDRESS &&
              kWantsUid == UCP_WORKER_ADDRESS_ATTR_FIELD_UID);
static_assert(kClassBits == UCP_DATATYPE_CLASS_MASK && kClassShift == UCP_DATATYPE_SHIFT &&
              kContiguous == UCP_DATATYPE_CONTIG && kVector == UCP_DATATYPE_IOV);

}  // namespace
