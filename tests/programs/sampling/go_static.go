// Without a C library: nothing of prof's can be inside. Its children can be traced, and the kernel
// can say what it does. argv[1]: seconds to work.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

var null, _ = os.OpenFile("/dev/null", os.O_WRONLY, 0)

//go:noinline
func innermost(n uint32) uint32 {
	for i := 0; i < 1000; i++ {
		n = n*1103515245 + 12345
	}
	return n
}

//go:noinline
func middle(n uint32) uint32 {
	for i := 0; i < 100; i++ {
		n += innermost(n)
	}
	return n
}

//go:noinline
func work(end time.Time) (sum uint32) {
	for time.Now().Before(end) {
		sum += middle(sum)
	}
	return sum
}

// A child that writes 25 times; with an environment of its own, in which nothing of prof's is, if
// one is given.
func copyBytes(environment []string) int {
	child := exec.Command("/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=25", "status=none")
	child.Env = environment
	if err := child.Run(); err != nil {
		panic(err)
	}
	return child.ProcessState.Pid()
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	for i := 0; i < 30; i++ {
		null.Write([]byte("x"))
	}
	inherits := copyBytes(nil)
	owns := copyBytes([]string{"A=b"})
	end := time.Now().Add(time.Duration(seconds * 1e9))
	var workers sync.WaitGroup
	for i := 0; i < 2; i++ {
		workers.Add(1)
		go func() { work(end); workers.Done() }()
	}
	workers.Wait()
	fmt.Printf("{\"pid\": %d, \"inherits\": %d, \"owns\": %d}\n", os.Getpid(), inherits, owns)
}
