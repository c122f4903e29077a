"""What the library does around a program: its exports, its start, its report.

usage: test_library.py REAL_LIBRARY OUR_LIBRARY LIBRARY_WITH_FAKE PROBE
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

real_library, our_library, fake_library, probe = (os.path.abspath(path) for path in sys.argv[1:5])


def exports(library):
    listing = subprocess.run(['nm', '-D', '--defined-only', library], check=True,
                             capture_output=True, text=True).stdout
    return {line.split()[2] for line in listing.splitlines() if line.split()[1] != 'A'}


def run(*words, variables=None, **options):
    environment = {name: value for name, value in os.environ.items() if not name.startswith('VRAM_')}
    environment['VRAM_DEVICE'] = 'virtual'
    environment.update(variables or {})
    return subprocess.run([probe, *words], env=environment, capture_output=True, text=True,
                          timeout=60, **options)


class Exports(unittest.TestCase):
    def test_are_those_of_the_real_library_and_the_claim(self):
        added = {name for name in exports(our_library) if name.startswith('vram_claim_session@')}
        self.assertEqual(len(added), 1)
        self.assertEqual(exports(our_library) - added, exports(real_library))

    def test_nothing_of_ours_can_be_bound_from_outside(self):
        listing = subprocess.run(['nm', '-D', our_library], check=True, capture_output=True,
                                 text=True).stdout
        self.assertNotIn('vram_virtual', listing)

    def test_the_name_is_the_one_that_programs_ask_for(self):
        dynamic = subprocess.run(['readelf', '-d', our_library], check=True, capture_output=True,
                                 text=True).stdout
        self.assertIn(f'soname: [{os.path.basename(real_library)}]', dynamic)


class Sides(unittest.TestCase):
    def test_an_unknown_device_is_refused(self):
        result = run(variables={'VRAM_DEVICE': 'cpu'})
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr,
                         'vram: VRAM_DEVICE is "cpu"; it can be auto, virtual or gpu\n')

    def test_a_missing_real_library_is_named(self):
        result = run(variables={'VRAM_DEVICE': 'gpu', 'VRAM_REAL_CUDART': '/nowhere/libcudart.so'})
        self.assertEqual(result.returncode, 87)
        self.assertIn('there is no GPU', result.stderr)
        self.assertIn('/nowhere/libcudart.so', result.stderr)

    def test_without_a_gpu_auto_is_virtual(self):
        result = run('free-wild', variables={'VRAM_DEVICE': 'auto', 'VRAM_SUMMARY': '1',
                                             'VRAM_REAL_CUDART': '/nowhere/libcudart.so'})
        self.assertEqual(result.returncode, 0)
        self.assertIn('on the virtual GPU', result.stderr)


class Variables(unittest.TestCase):
    def test_that_mean_nothing_end_the_program_at_its_start_with_one_line(self):
        for name, value, can_be in [
                ('VRAM_MEMORY', '10XB', 'a size from 4 MiB to 1 TiB, for example 10GiB'),
                ('VRAM_SEED', '-1', 'a whole number, for example 7'),
                ('VRAM_WORKERS', 'many', 'a number of threads up to 1024, or 0 for one a core'),
                ('VRAM_CHECK_RACES', 'ture', '1 or 0'),
                ('VRAM_SUMMARY', '2', '1 or 0')]:
            with self.subTest(variable=name):
                result = run('leak', variables={name: value})
                self.assertEqual(result.returncode, 2)
                self.assertEqual(result.stdout, '')
                self.assertEqual(result.stderr, f'vram: {name} is "{value}"; it can be {can_be}\n')

    def test_that_are_empty_are_as_good_as_unset(self):
        result = run('nothing', variables={'VRAM_MEMORY': '', 'VRAM_CHECK_INIT': ''})
        self.assertEqual((result.returncode, result.stderr), (0, ''))


class Channel(unittest.TestCase):
    def test_is_taken_from_the_environment(self):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(b'n' * 32 + b'rest')
            result = run('environment', variables={'VRAM_CHANNEL': str(theirs.fileno())},
                         pass_fds=[theirs.fileno()])
            self.assertEqual(result.stdout, '- -\n')
            theirs.setblocking(False)
            self.assertEqual(theirs.recv(100), b'rest')


class Reports(unittest.TestCase):
    def report(self, what):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'report.json')
            result = run(what, variables={'VRAM_REPORT': file})
            self.assertEqual((result.returncode, result.stderr), (0, ''))
            with open(file, encoding='utf-8') as stream:
                return json.load(stream)

    def test_tell_calls_leaks_and_misuses(self):
        report = self.report('leak')
        self.assertEqual(report['calls'], {'cudaMalloc': 2, 'cudaFree': 2})
        self.assertEqual([leak['bytes'] for leak in report['leaks']], [100])
        self.assertEqual([misuse['diagnosis'] for misuse in report['misuses']], ['double-free'])
        self.assertEqual(report['device'], 'virtual GPU')

    def test_tell_the_calls_of_a_misuse_in_order(self):
        steps = self.report('leak')['misuses'][0]['steps']
        self.assertEqual([step['call'] for step in steps], [2, 3, 4])
        self.assertRegex(steps[0]['text'], r'^cudaMalloc\(50 bytes\) -> 0x')
        self.assertIn('cudaFree(', steps[1]['text'])
        self.assertTrue(steps[2]['text'].endswith('-> cudaErrorInvalidValue'))

    def test_leave_out_what_came_after_a_misuse(self):
        misuse = self.report('interior')['misuses'][0]
        self.assertEqual(misuse['diagnosis'], 'free-interior')
        self.assertEqual([step['call'] for step in misuse['steps']], [1, 2])

    def test_tell_streams_and_events_that_were_never_destroyed(self):
        handles = self.report('handles')['leaked_handles']
        self.assertEqual([handle['what'] for handle in handles], ['stream', 'stream', 'event'])
        summary = run('handles', variables={'VRAM_SUMMARY': '1'}).stderr
        self.assertIn('  never destroyed: 2 streams', summary)
        self.assertIn('  never destroyed: 1 event', summary)

    def test_of_a_clean_program_are_empty(self):
        report = self.report('nothing')
        self.assertEqual((report['calls'], report['leaks'], report['leaked_handles'],
                          report['misuses']), ({}, [], [], []))

    def test_as_a_summary_go_to_standard_error(self):
        result = run('leak', variables={'VRAM_SUMMARY': '1'})
        self.assertIn('4 runtime calls: cudaFree 2, cudaMalloc 2', result.stderr)
        self.assertIn('never freed: 1 block, 100 bytes', result.stderr)
        self.assertIn('double-free: cudaFree was given', result.stderr)
        self.assertEqual(result.stderr, run('leak', variables={'VRAM_REPORT': '-'}).stderr)

    def test_tell_a_mistake_of_one_place_once(self):
        summary = run('free-in-a-loop', variables={'VRAM_SUMMARY': '1'}).stderr
        self.assertEqual(summary.count('double-free: '), 1)
        self.assertIn('    the same 9 more times\n', summary)

    def test_tell_blocks_of_one_place_once(self):
        summary = run('leak-in-a-loop', variables={'VRAM_SUMMARY': '1'}).stderr
        self.assertIn('never freed: 3001 blocks, 300050 bytes', summary)
        self.assertEqual(summary.count('3000 times a 100-byte block from cudaMalloc'), 1)
        self.assertEqual(summary.count('    a 50-byte block from cudaMalloc'), 1)

    def ended_by(self, number, times=1, what='wait'):
        """Exit status and standard error of a program that gets a signal while it waits."""
        environment = {**os.environ, 'VRAM_DEVICE': 'virtual', 'VRAM_SUMMARY': '1'}
        with subprocess.Popen([probe, what], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), 'waiting\n')
            for _ in range(times):
                process.send_signal(number)
            _, errors = process.communicate(timeout=30)
            return process.returncode, errors

    def test_are_written_before_a_signal_ends_the_program(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            status, errors = self.ended_by(number)
            self.assertEqual(status, -number)
            self.assertTrue(errors.startswith(f'vram: the program was ended by {number.name} ('), errors)
            self.assertEqual(errors.count('never freed: 1 block, 100 bytes'), 1)

    def test_are_not_waited_for_by_who_asks_twice(self):
        status, _ = self.ended_by(signal.SIGINT, times=2)
        self.assertEqual(status, -signal.SIGINT)

    def test_are_written_when_a_fault_ends_the_program(self):
        for what, number in (('crash', signal.SIGSEGV), ('abort', signal.SIGABRT)):
            result = run(what, variables={'VRAM_SUMMARY': '1'})
            self.assertEqual(result.returncode, -number)
            self.assertIn(f'vram: the program was ended by {number.name} (', result.stderr)
            self.assertIn('never freed: 1 block, 100 bytes', result.stderr)

    def test_leave_signals_to_a_program_that_handles_them(self):
        result = run('handle-interrupt', variables={'VRAM_SUMMARY': '1'})
        self.assertEqual((result.returncode, result.stderr), (7, ''))

    def test_are_not_written_by_forks(self):
        result = run('fork-and-wait', variables={'VRAM_SUMMARY': '1'})
        self.assertEqual((result.returncode, result.stdout), (0, 'the fork ended by signal 15\n'))
        self.assertEqual(result.stderr.count('never freed: '), 1)
        self.assertNotIn('ended by', result.stderr)

    def test_are_not_written_unasked(self):
        self.assertEqual(run('leak').stderr, '')

    def test_that_cannot_be_written_are_said_so(self):
        result = run('leak', variables={'VRAM_REPORT': '/nowhere/report.json'})
        self.assertEqual(result.returncode, 0)
        self.assertIn('cannot be written to /nowhere/report.json', result.stderr)


if __name__ == '__main__':
    # Started by `nohup` or in the background, a program inherits that these are ignored.
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_DFL)
    unittest.main(argv=sys.argv[:1])
