#!/usr/bin/env python3
"""`vram run` with programs that end in every way, and with what is no program.

usage: test_run.py VRAM PROBE BUILT_IN ENDLESS
"""
import os
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

vram, probe, built_in, endless = (os.path.abspath(path) for path in sys.argv[1:5])


def environment():
    return {name: value for name, value in os.environ.items() if not name.startswith('VRAM_')}


def run(*words):
    return subprocess.run([vram, 'run', *words], env=environment(), capture_output=True, text=True,
                          timeout=60, check=False)


class Programs(unittest.TestCase):
    def test_end_with_their_own_status_and_a_summary(self):
        result = run(probe, 'leak')
        self.assertEqual(result.returncode, 0)
        self.assertIn('4 runtime calls: cudaFree 2, cudaMalloc 2', result.stderr)
        self.assertEqual(run('/bin/sh', '-c', 'exit 3').returncode, 3)

    def test_that_never_call_cuda_are_run_and_said_to_have_no_summary(self):
        result = run('/bin/echo', 'hello')
        self.assertEqual((result.returncode, result.stdout), (0, 'hello\n'))
        self.assertIn("/bin/echo isn't linked with the CUDA runtime", result.stderr)

    def test_are_found_on_the_path(self):
        result = run('echo', 'hello')
        self.assertEqual((result.returncode, result.stdout), (0, 'hello\n'))

    def test_with_the_runtime_built_in_are_refused(self):
        result = run(built_in)
        self.assertEqual((result.returncode, result.stdout), (2, ''))
        self.assertIn('has the CUDA runtime built in', result.stderr)
        self.assertIn('nvcc -cudart shared', result.stderr)

    def test_that_crash_end_by_their_signal_after_the_summary(self):
        result = run(probe, 'crash')
        self.assertEqual(result.returncode, -signal.SIGSEGV)
        self.assertIn('vram: the program was ended by SIGSEGV', result.stderr)
        self.assertIn('never freed: 1 block, 100 bytes', result.stderr)


class NoPrograms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text, executable):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text)
        if executable:
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_that_are_missing_are_named(self):
        for program in (os.path.join(self.folder, 'missing'), 'no-such-program-anywhere'):
            result = run(program)
            self.assertEqual(result.returncode, 127)
            self.assertEqual(result.stderr,
                             f"vram: {program} can't be run: No such file or directory\n")

    def test_that_are_not_executable_are_named(self):
        program = self.file('notes.txt', 'hello\n', executable=False)
        for path in (program, self.folder):
            result = run(path)
            self.assertEqual(result.returncode, 126)
            self.assertEqual(result.stderr, f"vram: {path} can't be run: Permission denied\n")

    def test_scripts_are_run_and_what_they_start_is_watched(self):
        script = self.file('start.sh', f'#!/bin/sh\n{probe} leak\nexit 5\n', executable=True)
        result = run(script)
        self.assertEqual(result.returncode, 5)
        self.assertEqual(result.stderr.count('never freed: 1 block, 100 bytes'), 1)

    def test_nothing_at_all_is_a_usage_error(self):
        result = run()
        self.assertEqual(result.returncode, 2)
        self.assertIn('usage: vram run', result.stderr)


class Signals(unittest.TestCase):
    def end(self, words, number, report=None):
        """Sends a signal to what `vram run` became; its exit status, standard error, group."""
        options = ['--report', report] if report else []
        with subprocess.Popen([vram, 'run', *options, *words], env=environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as process:
            self.assertEqual(process.stdout.readline(), 'waiting\n')
            os.killpg(process.pid, number)  # as a terminal does
            _, errors = process.communicate(timeout=30)
            self.assert_group_is_gone(process.pid)
            return process.returncode, errors

    def assert_group_is_gone(self, group):
        with self.assertRaises(ProcessLookupError):
            os.killpg(group, 0)

    def test_end_the_program_after_its_summary(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            status, errors = self.end([probe, 'wait'], number)
            self.assertEqual(status, -number)
            self.assertIn(f'vram: the program was ended by {number.name}', errors)
            self.assertIn('never freed: 1 block, 100 bytes', errors)

    def test_show_in_a_shell(self):
        script = '"$0" run "$1" wait & read line; kill -TERM $!; wait $!; echo $?'
        with subprocess.Popen(['/bin/sh', '-c', script, vram, probe], env=environment(),
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as shell:
            self.assertEqual(shell.stdout.readline(), 'waiting\n')
            output, _ = shell.communicate('go on\n', timeout=30)
            self.assertEqual(output.split()[-1], str(128 + signal.SIGTERM))

    def test_end_the_program_after_its_report_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, 'report.json')
            status, _ = self.end([probe, 'wait'], signal.SIGINT, report)
            self.assertEqual(status, -signal.SIGINT)
            with open(report, encoding='utf-8') as stream:
                self.assertIn('"bytes": 100', stream.read())

    def test_end_a_kernel_that_never_ends(self):
        status, errors = self.end([endless], signal.SIGINT)
        self.assertEqual(status, -signal.SIGINT)
        self.assertIn('in the middle of a call, so there is no summary', errors)


if __name__ == '__main__':
    # Started by `nohup` or in the background, a program inherits that these are ignored.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.SIG_DFL)
    unittest.main(argv=sys.argv[:1])
