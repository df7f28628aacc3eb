// Texts that clients have registered, in a program that prof attached to. A handle is the text's
// hash, and the next session knows no texts.
#pragma once

namespace prof::nvtx {

// Called when a text is registered. Texts beyond 1 MiB are not kept.
void keep_string(const char* text);

// Sends the texts that are kept to a new session.
void resend_strings();

}  // namespace prof::nvtx
