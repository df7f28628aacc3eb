// The session that this process itself is part of.
#pragma once

namespace prof::session {

// True if a prof listens at the session that prof's own environment names.
bool is_inside_session();

}  // namespace prof::session
