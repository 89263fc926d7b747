# A Python package with tests and an environment of its own.
# Needs: python3
git init -q -b main
mkdir -p shapes tests
cat > pyproject.toml <<'X'
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "shapes"
version = "0.1"
[project.scripts]
area = "shapes.area:main"
[tool.setuptools]
packages = ["shapes"]
X
echo > shapes/__init__.py
cat > shapes/area.py <<'X'
import sys


def square(side):
    """The area.

    >>> square(3)
    9
    """
    return side * side


def main():
    print(square(int(sys.argv[1])))


if __name__ == "__main__":
    main()
X
cat > tests/test_area.py <<'X'
import unittest

from shapes.area import square


class Area(unittest.TestCase):
    def test_square(self):
        self.assertEqual(square(2), 4)


def test_files(tmp_path):
    (tmp_path / "x").write_text("y")
    assert (tmp_path / "x").read_text() == "y"
X
echo > tests/__init__.py
cat > pool.py <<'X'
import multiprocessing


def double(number):
    return 2 * number


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(sum(pool.map(double, range(10))))
X
cat > manager.py <<'X'
import multiprocessing


def put(shared):
    shared["x"] = 7


if __name__ == "__main__":
    multiprocessing.set_start_method("forkserver")
    with multiprocessing.Manager() as manager:
        shared = manager.dict()
        process = multiprocessing.Process(target=put, args=(shared,))
        process.start()
        process.join()
        print(shared["x"])
X
printf '__pycache__\n.venv\n*.egg-info\n' > .gitignore
git add . && git commit -qm 'Areas'
/usr/bin/python3 -m venv --without-pip --system-site-packages .venv
