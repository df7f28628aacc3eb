/* Who calls which version of a function: a library for each way to be linked has a table of
   functions that make the calls. */
#pragma once
#include <pthread.h>
#include <sys/types.h>
#include <time.h>

struct stat;
struct FTW;
typedef int (*visitor)(const char*, const struct stat*, int, struct FTW*);
typedef int (*complaint)(const char*, int);

struct functions {
#define VERSIONED(name, ret, params, args, old, newest) ret(*name) params;
#include "versioned_functions.def"
#undef VERSIONED
};

extern const struct functions of_unversioned_library, of_old_library;
