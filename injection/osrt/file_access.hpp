// Describes what each function does with the descriptor that it takes or returns. OSRT_FILE_<name>
// passes the description to the FileCall `done`. It uses the function's parameters and its `result`
// (osrt.def, flag `file`).
//
// The bytes are those that the call gave to the program or took from it. For buffered files this
// differs from the bytes between the buffer and the file. Waiting for several descriptors (poll,
// epoll), memory maps, asynchronous I/O and message queues do not count as file accesses.
#pragma once

#include "injection/osrt/file_calls.hpp"

// --- Opening.
#define OSRT_FILE_open done.opens_path(AT_FDCWD, path)
#define OSRT_FILE_open64 OSRT_FILE_open
#define OSRT_FILE_openat done.opens_path(dir, path)
#define OSRT_FILE_openat64 OSRT_FILE_openat
#define OSRT_FILE_creat OSRT_FILE_open
#define OSRT_FILE_creat64 OSRT_FILE_open
#define OSRT_FILE_mkstemp done.opens_path(AT_FDCWD, template_)
#define OSRT_FILE_mkstemp64 OSRT_FILE_mkstemp
#define OSRT_FILE_mkostemp OSRT_FILE_mkstemp
#define OSRT_FILE_mkostemp64 OSRT_FILE_mkstemp
#define OSRT_FILE_mkstemps OSRT_FILE_mkstemp
#define OSRT_FILE_mkstemps64 OSRT_FILE_mkstemp
#define OSRT_FILE_mkostemps OSRT_FILE_mkstemp
#define OSRT_FILE_mkostemps64 OSRT_FILE_mkstemp
#define OSRT_FILE_memfd_create done.opens_unknown()
#define OSRT_FILE_shm_open done.opens_unknown()
#define OSRT_FILE_pipe done.opens_pipe(fds)
#define OSRT_FILE_pipe2 done.opens_pipe(fds)
#define OSRT_FILE_socketpair done.opens_pair(fds, domain, type)
#define OSRT_FILE_socket done.opens_socket(domain, type)
#define OSRT_FILE_accept done.accepts()
#define OSRT_FILE_accept4 done.accepts()
#define OSRT_FILE_dup done.opens_copy(fd)
#define OSRT_FILE_fcntl done.controls(fd, command)
#define OSRT_FILE_fcntl64 done.controls(fd, cmd)
#define OSRT_FILE_epoll_create done.opens_nameless("anon_inode:[eventpoll]")
#define OSRT_FILE_epoll_create1 OSRT_FILE_epoll_create
#define OSRT_FILE_eventfd done.opens_nameless("anon_inode:[eventfd]")
#define OSRT_FILE_timerfd_create done.opens_nameless("anon_inode:[timerfd]")
#define OSRT_FILE_inotify_init done.opens_nameless("anon_inode:inotify")
#define OSRT_FILE_inotify_init1 OSRT_FILE_inotify_init
#define OSRT_FILE_fanotify_init done.opens_nameless("anon_inode:[fanotify]")
#define OSRT_FILE_fopen done.opens_stream(result, path)
#define OSRT_FILE_fopen64 done.opens_stream(result, filename)
#define OSRT_FILE_tmpfile done.opens_stream(result, nullptr)
#define OSRT_FILE_tmpfile64 OSRT_FILE_tmpfile

// --- Reading and writing.
#define OSRT_FILE_READ_ done.reads(fd, result)
#define OSRT_FILE_read OSRT_FILE_READ_
#define OSRT_FILE_pread OSRT_FILE_READ_
#define OSRT_FILE_pread64 OSRT_FILE_READ_
#define OSRT_FILE_readv OSRT_FILE_READ_
#define OSRT_FILE_preadv OSRT_FILE_READ_
#define OSRT_FILE_preadv64 OSRT_FILE_READ_
#define OSRT_FILE_preadv2 OSRT_FILE_READ_
#define OSRT_FILE_preadv64v2 OSRT_FILE_READ_
#define OSRT_FILE_recv OSRT_FILE_READ_
#define OSRT_FILE_recvfrom OSRT_FILE_READ_
#define OSRT_FILE_recvmsg OSRT_FILE_READ_
#define OSRT_FILE_recvmmsg done.reads(fd, bytes_of(vmessages, result))
#define OSRT_FILE_eventfd_read done.reads(fd, result == 0 ? 8 : 0)
#define OSRT_FILE_WRITE_ done.writes(fd, result)
#define OSRT_FILE_write OSRT_FILE_WRITE_
#define OSRT_FILE_pwrite OSRT_FILE_WRITE_
#define OSRT_FILE_pwrite64 OSRT_FILE_WRITE_
#define OSRT_FILE_writev OSRT_FILE_WRITE_
#define OSRT_FILE_pwritev OSRT_FILE_WRITE_
#define OSRT_FILE_pwritev64 OSRT_FILE_WRITE_
#define OSRT_FILE_pwritev2 OSRT_FILE_WRITE_
#define OSRT_FILE_pwritev64v2 OSRT_FILE_WRITE_
#define OSRT_FILE_send OSRT_FILE_WRITE_
#define OSRT_FILE_sendto OSRT_FILE_WRITE_
#define OSRT_FILE_sendmsg OSRT_FILE_WRITE_
#define OSRT_FILE_sendmmsg done.writes(fd, bytes_of(vmessages, result))
#define OSRT_FILE_eventfd_write done.writes(fd, result == 0 ? 8 : 0)
#define OSRT_FILE_vmsplice done.writes(fdout, result)
#define OSRT_FILE_vdprintf OSRT_FILE_WRITE_
#define OSRT_FILE_sendfile done.copies(in, out)
#define OSRT_FILE_sendfile64 done.copies(in_fd, out_fd)
#define OSRT_FILE_copy_file_range done.copies(infd, outfd)
#define OSRT_FILE_splice done.copies(fdin, fdout)
#define OSRT_FILE_tee OSRT_FILE_splice

// --- Reading and writing buffered files.
#define OSRT_FILE_fread done.reads(descriptor_of(stream), to_bytes(result* size))
#define OSRT_FILE_fread_unlocked OSRT_FILE_fread
#define OSRT_FILE_fgets done.reads(descriptor_of(stream), length_of(result))
#define OSRT_FILE_fgets_unlocked OSRT_FILE_fgets
#define OSRT_FILE_getline done.reads(descriptor_of(stream), result)
#define OSRT_FILE_getdelim OSRT_FILE_getline
#define OSRT_FILE_getw done.reads(descriptor_of(stream), sizeof(int))
#define OSRT_FILE_fwrite done.writes(descriptor_of(stream), to_bytes(result* size))
#define OSRT_FILE_fwrite_unlocked OSRT_FILE_fwrite
#define OSRT_FILE_fputs done.writes(descriptor_of(stream), result < 0 ? 0 : length_of(text))
#define OSRT_FILE_fputs_unlocked OSRT_FILE_fputs
#define OSRT_FILE_puts done.writes(descriptor_of(stdout), result < 0 ? 0 : length_of(text) + 1)
#define OSRT_FILE_putw done.writes(descriptor_of(stream), sizeof(int))
#define OSRT_FILE_vprintf done.writes(descriptor_of(stdout), result)
#define OSRT_FILE_vfprintf done.writes(descriptor_of(stream), result)

// --- Other uses.
#define OSRT_FILE_USE_ done.uses(fd)
#define OSRT_FILE_fsync OSRT_FILE_USE_
#define OSRT_FILE_fdatasync OSRT_FILE_USE_
#define OSRT_FILE_syncfs OSRT_FILE_USE_
#define OSRT_FILE_sync_file_range OSRT_FILE_USE_
#define OSRT_FILE_ftruncate OSRT_FILE_USE_
#define OSRT_FILE_ftruncate64 OSRT_FILE_USE_
#define OSRT_FILE_fallocate OSRT_FILE_USE_
#define OSRT_FILE_fallocate64 OSRT_FILE_USE_
#define OSRT_FILE_posix_fallocate OSRT_FILE_USE_
#define OSRT_FILE_posix_fallocate64 OSRT_FILE_USE_
#define OSRT_FILE_posix_fadvise OSRT_FILE_USE_
#define OSRT_FILE_posix_fadvise64 OSRT_FILE_USE_
#define OSRT_FILE_readahead OSRT_FILE_USE_
#define OSRT_FILE_flock OSRT_FILE_USE_
#define OSRT_FILE_lockf OSRT_FILE_USE_
#define OSRT_FILE_lockf64 OSRT_FILE_USE_
#define OSRT_FILE_ioctl OSRT_FILE_USE_
#define OSRT_FILE_fstat OSRT_FILE_USE_
#define OSRT_FILE_fstat64 OSRT_FILE_USE_
#define OSRT_FILE_getdents64 OSRT_FILE_USE_
#define OSRT_FILE_listen OSRT_FILE_USE_
#define OSRT_FILE_shutdown OSRT_FILE_USE_
#define OSRT_FILE_bind done.binds(fd)
#define OSRT_FILE_connect done.connects(fd, address, length)
#define OSRT_FILE_fdopen OSRT_FILE_USE_
#define OSRT_FILE_fflush done.uses(descriptor_of(stream))
#define OSRT_FILE_fflush_unlocked OSRT_FILE_fflush
