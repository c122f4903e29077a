"""The project's own files."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
GENERATED = {".git", ".venv", ".toolkit", ".toolkit.partial", "subprojects", "__pycache__"}


def own_files():
    """Paths relative to ROOT: what git tracks, or all but generated folders where there is no git."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True)
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.decode().split("\0")
        return [path for path in map(pathlib.Path, filter(None, names)) if (ROOT / path).is_file()]
    return sorted(walk())


def walk():
    for folder, subfolders, names in os.walk(ROOT):
        subfolders[:] = [name for name in subfolders
                         if name not in GENERATED and not name.startswith("build")]
        for name in names:
            yield (pathlib.Path(folder) / name).relative_to(ROOT)


def is_changed_by_learner(path):
    """Whether it is a file in labs/ that differs from the committed one: then it is not ours."""
    if path.parts[0] != "labs":
        return False
    compared = subprocess.run(["git", "-C", str(ROOT), "diff", "--quiet", "HEAD", "--", str(path)],
                              capture_output=True)
    return compared.returncode == 1
