/* The user who runs the tests, as one with a shell: a server starts git by it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pwd.h>
#include <shadow.h>
#include <stdlib.h>

static struct passwd *with_shell(struct passwd *user) {
    if (user) {
        user->pw_shell = "/bin/sh";
        user->pw_passwd = "none, and not locked";
        if (getenv("TEST_HOME")) user->pw_dir = getenv("TEST_HOME");
    }
    return user;
}

struct passwd *getpwnam(const char *name) {
    struct passwd *(*real)(const char *) = dlsym(RTLD_NEXT, "getpwnam");
    return with_shell(real(name));
}

struct passwd *getpwuid(uid_t uid) {
    struct passwd *(*real)(uid_t) = dlsym(RTLD_NEXT, "getpwuid");
    return with_shell(real(uid));
}

struct spwd *getspnam(const char *name) {
    (void)name;
    return 0;
}
