// Prints what math/rand gives for the seeds that it is called with, for test_gorand.py.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
)

func main() {
	for _, argument := range os.Args[1:] {
		seed, err := strconv.ParseInt(argument, 10, 64)
		if err != nil {
			panic(err)
		}
		random := rand.New(rand.NewSource(seed))
		line := make([]int, 9000)
		for index := range line {
			line[index] = index
		}
		fmt.Println(random.Int63(), random.Int63())
		random.Shuffle(len(line), func(i, j int) { line[i], line[j] = line[j], line[i] })
		fmt.Println(line)
		for bound := 1; bound < 1<<30; bound = bound*3 + 1 {
			fmt.Print(random.Intn(bound), " ", random.Intn(bound+1), " ")
		}
		fmt.Println(random.Perm(1213), random.Intn(1<<30+1), random.Int63())
	}
}
