// A server of goroutines that calls a C library, which calls Go back. Prints its port, ends with
// status 7 at the end of its input, and then prints how many requests it answered and how often
// something went wrong.
package main

/*
#include <stdint.h>
#include <unistd.h>

extern uint64_t goNext(uint64_t value, uint64_t byte);

static uint64_t answer_to(uint64_t number) {
  uint64_t value = 1469598103934665603u;
  for (int i = 0; i < 8; ++i) value = goNext(value, number >> (8 * i) & 255);
  return value & 0x7fffffffffffffff;
}

static int sleep_in_c(void) { return usleep(2000); }
*/
import "C"

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
)

var answered, wrong int64

//export goNext
func goNext(value, octet C.uint64_t) C.uint64_t {
	return (value ^ octet) * 1099511628211
}

func serve(connection net.Conn) {
	reader := bufio.NewReader(connection)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		number, err := strconv.ParseUint(line[:len(line)-1], 10, 64)
		if err != nil {
			atomic.AddInt64(&wrong, 1)
		}
		atomic.AddInt64(&answered, 1)
		fmt.Fprintf(connection, "%d\n", uint64(C.answer_to(C.uint64_t(number))))
	}
}

// Garbage, stacks that grow, and preemption by signals.
func churn(depth int) int {
	if depth == 0 {
		return 0
	}
	var local [64]int
	local[depth%64] = depth
	return churn(depth-1) + local[depth%64]
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(connection)
		}
	}()
	go func() {
		for i := 0; ; i++ {
			result := make(chan int)
			go func() { result <- churn(1000) }()
			if <-result != 500500 {
				atomic.AddInt64(&wrong, 1)
			}
			if i%50 == 0 {
				runtime.GC()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	for i := 0; i < 4; i++ {
		go func() {
			for {
				if C.sleep_in_c() != 0 {
					atomic.AddInt64(&wrong, 1)
				}
			}
		}()
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	io.Copy(io.Discard, os.Stdin)
	fmt.Printf("answered %d wrong %d\n", atomic.LoadInt64(&answered), atomic.LoadInt64(&wrong))
	os.Exit(7)
}
