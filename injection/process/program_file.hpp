// Reports a program that is about to run and cannot be traced.
#pragma once

namespace prof::process {

// Each function inspects the file that the following exec will find. This takes a few system calls,
// compared to hundreds for an exec. vfork children and threads with small stacks may call these
// functions: they use separate memory, which is unmapped when they return, and keep errno.
void report_if_untraceable(const char* path);
void report_if_untraceable(int directory, const char* path, int flags);  // like execveat
void report_if_untraceable_in_path(const char* file);                    // like execvp

}  // namespace prof::process
