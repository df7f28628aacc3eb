/* Message queues, System V, asynchronous I/O. If the kernel lacks them, the calls fail. */
#include "every.h"

#include <aio.h>
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>

mqd_t __mq_open_2(const char*, int);

static void message_queue(void) {
  char name[64], buffer[64] = "message";
  struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = sizeof buffer};
  const struct timespec past = {1, 0};
  sprintf(name, "/prof-every-%d", getpid());
  const mqd_t queue = CALL(mq_open, name, O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attributes);
  CALL(mq_close, ALIAS(__mq_open_2, mq_open, name, O_RDONLY));
  CALL(mq_unlink, name);
  CALL(mq_notify, queue, NULL);
  CALL(mq_send, queue, buffer, 8, 0);
  CALL(mq_timedsend, queue, buffer, 8, 0, &past);
  CALL(mq_receive, queue, buffer, sizeof buffer, NULL);
  CALL(mq_timedreceive, queue, buffer, sizeof buffer, NULL, &past);
  CALL(mq_close, queue);
}

static void system_v(void) {
  struct {
    long type;
    char text[8];
  } message = {1, "message"};
  const int queue = CALL(msgget, IPC_PRIVATE, 0600);
  CALL(msgsnd, queue, &message, sizeof message.text, IPC_NOWAIT);
  CALL(msgrcv, queue, &message, sizeof message.text, 0, IPC_NOWAIT);
  CALL(msgctl, queue, IPC_RMID, NULL);
  struct sembuf up = {0, 1, IPC_NOWAIT}, down = {0, -1, IPC_NOWAIT};
  const struct timespec now = {0, 0};
  const int semaphores = CALL(semget, IPC_PRIVATE, 1, 0600);
  CALL(semop, semaphores, &up, 1);
  CALL(semtimedop, semaphores, &down, 1, &now);
  CALL(semctl, semaphores, 0, IPC_RMID);
  const int memory = CALL(shmget, IPC_PRIVATE, 4096, 0600);
  CALL(shmdt, CALL(shmat, memory, NULL, 0));
  CALL(shmctl, memory, IPC_RMID, NULL);
}

static void finish_one(const struct aiocb* request) {
  while (aio_error(request) == EINPROGRESS) {
  }
  aio_return((struct aiocb*)request);
}

static void asynchronous(void) {
  char buffer[16] = "asynchronous";
  struct aiocb request = {.aio_fildes = CALL(open, "file", O_RDWR),
                          .aio_buf = buffer,
                          .aio_nbytes = sizeof buffer,
                          .aio_lio_opcode = LIO_READ};
  struct aiocb64* request64 = (struct aiocb64*)&request; /* the same on x86-64 */
  const struct aiocb* const pending[] = {&request};
  const struct aiocb64* const pending64[] = {request64};
  struct aiocb* list[] = {&request};
  struct aiocb64* list64[] = {request64};
#define AIO(...) CALL(__VA_ARGS__), finish_one(&request)
  AIO(aio_write, &request);
  AIO(aio_write64, request64);
  AIO(aio_read64, request64);
  AIO(aio_fsync, O_SYNC, &request);
  AIO(aio_fsync64, O_SYNC, request64);
  CALL(aio_read, &request);
  CALL(aio_suspend, pending, 1, NULL);
  CALL(aio_suspend64, pending64, 1, NULL);
  CALL(aio_cancel, request.aio_fildes, &request);
  CALL(aio_cancel64, request.aio_fildes, request64);
  AIO(lio_listio, LIO_WAIT, list, 1, NULL);
  AIO(lio_listio64, LIO_WAIT, list64, 1, NULL);
  CALL(close, request.aio_fildes);
}

void call_ipc(void) {
  message_queue();
  system_v();
  asynchronous();
}
