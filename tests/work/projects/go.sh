# A module in Go without dependencies.
# Needs: go
git init -q -b main
cat > go.mod <<'X'
module example.org/words

go 1.19
X
mkdir -p cmd/words
cat > words.go <<'X'
// Package words counts words.
package words

import "strings"

// Count counts words.
func Count(text string) int { return len(strings.Fields(text)) }
X
cat > words_test.go <<'X'
package words

import (
	"net"
	"path/filepath"
	"testing"
)

func TestCount(t *testing.T) {
	if Count("a b") != 2 {
		t.Fatal("wrong")
	}
}

func TestSocket(t *testing.T) {
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = listener.Accept() }()
	if _, err := net.Dial("unix", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkCount(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Count("a b c")
	}
}
X
cat > cmd/words/main.go <<'X'
package main

import (
	"fmt"
	"os"

	"example.org/words"
)

//go:generate touch generated

func main() { fmt.Println(words.Count(os.Args[1])) }
X
git add . && git commit -qm 'Counts words'
go build ./... && go vet ./...
