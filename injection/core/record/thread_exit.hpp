// Learns of the end of a thread through a pthread key, as late as the key mechanism allows.
#pragma once

namespace prof::core {

// Creates the key; once per process image, from the constructor.
void create_thread_exit_key();

// Arms the key for the calling thread.
void watch_thread_exit();

}  // namespace prof::core
