// A Go program without a C library, with one problem: it computes in one function ("computes"), reads single bytes
// ("reads"), or its goroutines sleep ("sleeps").
package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

//go:noinline
func checksum(data []byte) (sum uint32) {
	for round := 0; round < 200; round++ {
		for _, b := range data {
			sum = sum*31 + uint32(b)
		}
	}
	return sum
}

//go:noinline
func checksumOfItself() (sum uint32) {
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		panic(err)
	}
	return checksum(data)
}

//go:noinline
func readByteByByte() int {
	file, err := os.Open("/dev/zero")
	if err != nil {
		panic(err)
	}
	total := 0
	for i := 0; i < 1_000_000; i++ {
		count, _ := file.Read(make([]byte, 1))
		total += count
	}
	return total
}

func sleep(group *sync.WaitGroup) {
	defer group.Done()
	for i := 0; i < 60; i++ {
		time.Sleep(5 * time.Millisecond)
	}
}

func main() {
	switch os.Args[1] {
	case "computes":
		fmt.Println(checksumOfItself())
	case "reads":
		fmt.Println(readByteByByte())
	case "sleeps":
		var group sync.WaitGroup
		for i := 0; i < 4; i++ {
			group.Add(1)
			go sleep(&group)
		}
		group.Wait()
	}
}
