// What happens when a process loads the library, by whichever door.
#pragma once

namespace prof::core {

// Resolves the real symbols and joins the session; the first call does it, later ones return at
// once. Comes from our constructor or, if another library's constructor runs before it and calls a
// wrapped function, from there.
void load_once(char** environment);

}  // namespace prof::core
