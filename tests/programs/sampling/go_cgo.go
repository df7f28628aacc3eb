// Go with a C library: goroutines on small stacks of their own that grow, signals between threads,
// calls into C and back, children, sockets. argv[1]: seconds to work.
package main

/*
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>
extern int64_t recurseInGo(int64_t);
static int g_null = -1;
static void open_null(void) { g_null = open("/dev/null", O_WRONLY); }
static int write_null(int times) {
  for (int i = 0; i < times; ++i)
    if (write(g_null, "x", 1) != 1) return -1;
  return 0;
}
static void block(int microseconds) { usleep(microseconds); }
static int64_t call_back(int64_t depth) { return recurseInGo(depth); }
*/
import "C"

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A goroutine begins with 2 KiB of stack: it is moved again and again.
//
//go:noinline
func recurse(depth int) int {
	var room [64]byte
	room[depth%64] = 1
	if depth == 0 {
		return int(room[0])
	}
	return recurse(depth-1) + int(room[depth%64])
}

//export recurseInGo
func recurseInGo(depth C.int64_t) C.int64_t {
	C.write_null(1)
	return C.int64_t(recurse(int(depth)))
}

//go:noinline
func spin(end time.Time) (sum uint64) {
	for time.Now().Before(end) {
		for i := uint64(0); i < 100000; i++ {
			sum = sum*31 + i
		}
	}
	return sum
}

func manyGoroutines(end time.Time) {
	for time.Now().Before(end) {
		var all sync.WaitGroup
		for i := 0; i < 100; i++ {
			all.Add(1)
			go func(depth int) { recurse(depth); all.Done() }(i * 20)
		}
		all.Wait()
	}
}

func takeSignals(wanted int) (taken int) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	for ; taken < wanted; taken++ {
		check(syscall.Kill(os.Getpid(), syscall.SIGUSR1))
		<-signals
	}
	return taken
}

func blockInC() {
	runtime.LockOSThread()
	for i := 0; i < 3; i++ {
		C.block(2000)
	}
	C.write_null(10)
}

func callBack() {
	for i := 0; i < 200; i++ {
		if C.call_back(C.int64_t(i)) == 0 {
			panic("nothing came back")
		}
	}
}

func echoes(listener net.Listener, times int) {
	for i := 0; i < times; i++ {
		connection, err := listener.Accept()
		check(err)
		io.Copy(connection, connection)
		connection.Close()
	}
}

func talk(listener net.Listener) {
	connection, err := net.Dial("tcp", listener.Addr().String())
	check(err)
	connection.Write([]byte("hello"))
	connection.(*net.TCPConn).CloseWrite()
	answer, err := io.ReadAll(connection)
	check(err)
	if string(answer) != "hello" {
		panic(answer)
	}
	connection.Close()
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	C.open_null()
	taken := takeSignals(20)
	end := time.Now().Add(time.Duration(seconds * 1e9))
	var all sync.WaitGroup
	start := func(work func()) {
		all.Add(1)
		go func() { work(); all.Done() }()
	}
	start(func() { spin(end) })
	start(func() { manyGoroutines(end) })
	start(callBack)
	for i := 0; i < 4; i++ {
		start(blockInC)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	start(func() { echoes(listener, 20) })
	for i := 0; i < 20; i++ {
		talk(listener)
	}
	child := exec.Command("/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=25", "status=none")
	check(child.Run())
	killed := exec.Command("/bin/sleep", "100")
	check(killed.Start())
	check(killed.Process.Kill())
	killed.Wait()
	all.Wait()
	fmt.Printf("{\"pid\": %d, \"child\": %d, \"signals\": %d}\n", os.Getpid(), child.ProcessState.Pid(), taken)
}
