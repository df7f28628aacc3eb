// A session that this process itself is part of.
#pragma once

namespace prof::session {

// Does a prof listen at the session that our own environment names?
bool is_inside_session();

}  // namespace prof::session
