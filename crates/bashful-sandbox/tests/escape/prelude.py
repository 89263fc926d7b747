"""What every act and every helper of the escape suite has at hand.

It is run as `python3 -I -S -B -c THIS FILE, THE ACT, THE NUMBERS OF SYSTEM CALLS`. An act that
comes to its end has reached its aim; one that gets an error from the kernel was blocked.
"""
import ctypes, errno, os, signal, socket, stat, struct, sys, time

E = os.environ
W = E.get("WORKSPACE", "")
NUMBERS = dict(word.split("=") for word in sys.argv[2].split())
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
O_RDONLY, O_WRONLY, O_RDWR, O_PATH = os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_PATH


def reached(what=""):
    print("\nreached:", what, flush=True)
    os._exit(0)


def blocked(why):
    print("\nblocked:", why, flush=True)
    os._exit(3)


def broken(why):
    print("broken:", why, flush=True)
    os._exit(4)


def call(name, *arguments):
    """A raw system call; -1 becomes an OSError."""
    number = NUMBERS[name] if isinstance(name, str) else name
    longs = [ctypes.c_long(it) if isinstance(it, int) else it for it in arguments]
    result = libc.syscall(ctypes.c_long(int(number)), *longs)
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(name))
    return result


def text(string):
    return ctypes.c_char_p(os.fsencode(string))


def read(path):
    with open(path, "rb", buffering=0) as file:
        return file.read(1 << 20)


def write(path, data=b"x", flags=O_WRONLY):
    fd = os.open(path, flags)
    os.write(fd, data)
    os.close(fd)


def expect_secret(data):
    """An act that reads wants the secret, not just any bytes."""
    if E["SECRET"].encode() not in data:
        blocked("the secret is not in it")


def say(**values):
    for name, value in values.items():
        print(f"{name}={value}", flush=True)


def ready():
    """A helper is ready; it goes on when the host has closed its standard input."""
    print("ready", flush=True)
    sys.stdin.buffer.read()


def disturbed(how):
    """A helper has felt the act."""
    print("disturbed:", how, flush=True)
    os._exit(1)


def in_child(action):
    """Runs it in a child; an errno, a signal or nothing at all comes back."""
    child = os.fork()
    if child == 0:
        try:
            action()
            os._exit(0)
        except OSError as error:
            os._exit(error.errno & 127)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(255)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        blocked(signal.Signals(os.WTERMSIG(status)).name)
    code = os.WEXITSTATUS(status)
    if code == 255:
        broken("the child of the act")
    if code:
        raise OSError(code, os.strerror(code))


def run(*words, **options):
    """Starts a program and waits; its exit status and what it printed come back."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(theirs, 1)
            os.dup2(theirs, 2)
            program = options.get("program", words[0])
            os.execve(program, list(words), options.get("environment", dict(E)))
        except OSError as error:
            os.write(1, f"errno {error.errno}".encode())
            os._exit(126)
    os.close(theirs)
    output = b""
    while chunk := os.read(ours, 65536):
        output += chunk
    os.close(ours)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), output


def proves(result):
    """Whether the program `id` ran, however it was started."""
    if b"uid=" not in result[1]:
        blocked(result[1].decode(errors="replace").strip().replace("\n", " ")[-80:] or "silence")


def loader():
    """The dynamic loader, which can start programs by itself."""
    import glob
    return (glob.glob("/lib*/ld-linux-*.so.*") + glob.glob("/lib/ld-musl-*"))[0]


def init():
    """The first process: inside, that is part of the sandbox; in a control, the helper."""
    return E["HELPER"] if "CONTROL" in E else "1"


def others():
    """The processes that `/proc` shows besides us."""
    numbers = [int(it) for it in os.listdir("/proc") if it.isdigit()]
    return [it for it in numbers if it not in (os.getpid(),)]


def find_process(mark):
    """The process whose command line has this mark."""
    for number in others():
        try:
            if mark.encode() in read(f"/proc/{number}/cmdline"):
                return number
        except OSError:
            pass
    raise OSError(errno.ESRCH, "no such process")


def set_limit(name, value):
    """Sets both values of a resource limit; Python has an error of its own for a refusal."""
    import resource
    try:
        resource.setrlimit(getattr(resource, name), (value, value))
    except ValueError:
        raise PermissionError(errno.EPERM, "not allowed")


def first(*attempts):
    """Tries one after the other; the last error is told if none works."""
    problem = None
    for attempt in attempts:
        try:
            return attempt()
        except OSError as error:
            problem = error
    raise problem


def main():
    signal.alarm(int(E.get("SECONDS_AT_MOST", "45")))
    try:
        exec(compile(sys.argv[1], "act", "exec"), globals())
    except OSError as error:
        blocked(errno.errorcode.get(error.errno, f"errno {error.errno}"))
    except SystemExit:
        raise
    except BaseException:
        import traceback
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        os._exit(4)
    reached()


main()
