// Records transfers: the calls that begin them, and the transfers until they are done.
#pragma once

#include <cstddef>

#include "common/wire/ucx_records.hpp"
#include "injection/ucx/ucp_abi.hpp"
#include "injection/ucx/ucx_functions.hpp"

namespace prof::ucx {

// Describes a call that begins at `start`, by its arguments.
wire::UcpTransferRecord transfer_of(Index function, std::uint64_t start, const Word* arguments);

void write(const wire::UcpTransferRecord& record);

// Follows a transfer to its end, by a callback of prof that then calls that of the program. UCX
// does not call it if the transfer is done when its function returns.
class Follower {
 public:
  // `transfer` describes the call whose parameter `word` is ucp_request_param_t.
  Follower(const wire::UcpTransferRecord& transfer, Callback callback, Word word);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Returns the parameter for UCX, which is valid as long as this object.
  Word param() const { return param_; }
  // Call it with what UCX has returned.
  void finish(long result);

 private:
  RequestParam copy_;
  Word param_;
  void* slot_ = nullptr;
};

}  // namespace prof::ucx
