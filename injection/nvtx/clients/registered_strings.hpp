// Stores the texts that clients have registered, in a program that prof attached to. A handle is
// the hash of the text, and the next session does not know the text.
#pragma once

namespace prof::nvtx {

// Stores a text when it is registered. Texts beyond 1 MiB in total are not stored.
void keep_string(const char* text);

// Sends the stored texts to a new session.
void resend_strings();

}  // namespace prof::nvtx
