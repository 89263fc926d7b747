# A program whose build is made by autoconf and automake.
# Needs: autoreconf automake
git init -q -b main
cat > configure.ac <<'X'
AC_INIT([hello], [1.0])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_CHECK_HEADERS([stdlib.h unistd.h])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
X
cat > Makefile.am <<'X'
bin_PROGRAMS = hello
hello_SOURCES = hello.c
TESTS = check.sh
EXTRA_DIST = check.sh
X
echo 'int puts(const char *); int main(void) { return puts("hello") < 0; }' > hello.c
printf '#!/bin/sh\ntest "$(./hello)" = hello\n' > check.sh
chmod +x check.sh
autoreconf -i > /dev/null 2>&1
./configure -q && make -s
git add . && git commit -qm 'Says hello'
