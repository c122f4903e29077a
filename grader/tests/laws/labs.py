"""What the law tests share: the labs' manifests, the corpus' headers, and the built grader."""
import json
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.environ.get("VRAM_BUILD", os.path.join(ROOT, "build"))


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def manifests():
    """Every lab's manifest, in the order of the labs."""
    folder = os.path.join(ROOT, "grader", "checks")
    names = sorted(name for name in os.listdir(folder) if re.match(r"\d\d-.*\.json$", name))
    return [json.loads(read("grader", "checks", name)) for name in names]


def corpus(kind):
    """Yields (path, header) for right/, wrong/ or exploits/; the header maps keys to values."""
    folder = os.path.join(ROOT, "grader", "corpus", kind)
    for parent, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(".cu"):
                path = os.path.join(parent, name)
                yield os.path.relpath(path, ROOT), header(path)


def header(path):
    """The `// key: value` lines at the top of a corpus file."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"//\s*([a-z ]+):\s*(.+)", line)
            if match:
                found[match.group(1).strip()] = match.group(2).strip()
            elif not line.startswith("//"):
                break
    return found


def grade(submission, *labs):
    """Grades a folder on the virtual GPU; returns (exit status, results)."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "results.json")
        finished = subprocess.run(
            [os.path.join(BUILD, "vram"), "grade", "--plain", "--device", "virtual",
             "--submission", os.path.join(ROOT, submission), "--json", report, *labs],
            capture_output=True, text=True, check=False)
        if not os.path.exists(report):
            raise AssertionError("no results were written:\n" + finished.stdout + finished.stderr)
        with open(report, encoding="utf-8") as file:
            return finished.returncode, json.load(file)
