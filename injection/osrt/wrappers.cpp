// The wrappers that functions.def generates.
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "injection/core/wrap.hpp"
#include "injection/osrt/functions.hpp"

#define OSRT_WRAPPER_plain(name, ret, params, args, version) \
  PROF_RECORDING_WRAPPER(name, ret, params, args, version, OSRT_FUNCTION(name))
#define OSRT_WRAPPER_special(name, ret, params, args, version)

#define OSRT(name, ret, params, args, category, flags, version) \
  OSRT_WRAPPER_##flags(name, ret, params, args, version)
#define OSRT_ALIAS(symbol, name, ret, params, args) \
  PROF_RECORDING_WRAPPER(symbol, ret, params, args, nullptr, OSRT_FUNCTION(name))
#include "injection/osrt/functions.def"
