// The wrappers that functions.def generates.
#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/acct.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

#include "injection/core/wrap.hpp"
#include "injection/osrt/functions.hpp"

#define OSRT_WRAPPER_plain(name, ret, params, args, version) \
  PROF_RECORDING_WRAPPER(name, ret, params, args, version, OSRT_FUNCTION(name))
#define OSRT_WRAPPER_special(name, ret, params, args, version)
#define OSRT_ALIAS_plain(symbol, name, ret, params, args) \
  PROF_RECORDING_WRAPPER(symbol, ret, params, args, nullptr, OSRT_FUNCTION(name))
#define OSRT_ALIAS_special(symbol, name, ret, params, args)

#define OSRT(name, ret, params, args, category, flags, version) \
  OSRT_WRAPPER_##flags(name, ret, params, args, version)
#define OSRT_ALIAS(symbol, name, ret, params, args, flags) \
  OSRT_ALIAS_##flags(symbol, name, ret, params, args)
#include "injection/osrt/functions.def"
