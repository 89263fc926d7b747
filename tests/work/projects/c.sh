# A program in C with a makefile, tests, and a few small programs that are wrong on purpose.
git init -q -b main
cat > Makefile <<'X'
CFLAGS = -Wall -g
PREFIX ?= /usr/local
all: count
count: main.o words.o
	$(CC) $(CFLAGS) -o $@ $^
test: count
	test "$$(printf 'one two three' | ./count)" = 3
	@echo all good
install: count
	install -D count $(DESTDIR)$(PREFIX)/bin/count
clean:
	rm -f *.o count
.PHONY: all test install clean
X
cat > words.h <<'X'
int words(const char *text);
X
cat > words.c <<'X'
#include "words.h"
int words(const char *text) {
    int count = 0, inside = 0;
    for (; *text; text++) {
        int letter = *text > ' ';
        count += letter && !inside;
        inside = letter;
    }
    return count;
}
X
cat > main.c <<'X'
#include <stdio.h>
#include "words.h"
int main(void) {
    char text[4096];
    size_t length = fread(text, 1, sizeof text - 1, stdin);
    text[length] = 0;
    printf("%d\n", words(text));
    return 0;
}
X
cat > overflow.c <<'X'
#include <stdlib.h>
int main(int count, char **words) { char *p = malloc(4); p[count + 3] = 1; return p[0]; }
X
cat > fine.c <<'X'
#include <stdlib.h>
int main(void) { char *p = malloc(4); p[0] = 0; int r = p[0]; free(p); return r; }
X
cat > race.c <<'X'
#include <pthread.h>
int shared;
void *add(void *p) { shared++; return p; }
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, add, 0); pthread_create(&two, 0, add, 0);
    pthread_join(one, 0); pthread_join(two, 0);
    return 0;
}
X
cat > crash.c <<'X'
#include <signal.h>
int main(void) { raise(SIGSEGV); return 0; }
X
printf '*.o\ncount\n' > .gitignore
git add . && git commit -qm 'Counts words'
make -s
