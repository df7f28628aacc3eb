// Compresses replies, because a page that is opened through a tunnel is slow otherwise.
#pragma once

#include "common/http/connection.hpp"
#include "common/http/request.hpp"

namespace prof::view {

// True if the client reads gzip.
bool accepts_gzip(const http::RequestHead& head);

// Compresses the body with gzip. A short body, and one that does not get smaller, stays as it is.
void compress(http::Reply& reply);

}  // namespace prof::view
