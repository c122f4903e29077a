"""The generator on runtimes of other versions, stood in for by small libraries.

usage: test_generator.py GENERATOR HOOKED_CALLS COMPILER...
"""
import os
import subprocess
import sys
import tempfile
import unittest

generator, hooked_calls, *compiler = sys.argv[1:]


class Generator(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.toolkit = os.path.join(self.scratch.name, 'toolkit')
        self.out = os.path.join(self.scratch.name, 'out')
        os.makedirs(os.path.join(self.toolkit, 'lib64'))
        os.makedirs(self.out)

    def make_library(self, version, names):
        source = os.path.join(self.scratch.name, 'runtime.cpp')
        script = os.path.join(self.scratch.name, 'runtime.map')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(''.join(f'extern "C" void {name}() {{}}\n' for name in names))
        with open(script, 'w', encoding='utf-8') as file:
            file.write(f'libcudart.so.{version} {{ global: *; }};\n')
        library = os.path.join(self.toolkit, 'lib64', f'libcudart.so.{version}')
        subprocess.run([*compiler, '-shared', '-fPIC', source, '-o', library,
                        f'-Wl,--version-script={script}'], check=True)

    def generate(self, machine='x86_64'):
        return subprocess.run([sys.executable, generator, '--toolkit', self.toolkit, '--hooked',
                               hooked_calls, '--machine', machine, '--out', self.out],
                              capture_output=True, text=True)

    def read(self, name):
        with open(os.path.join(self.out, name), encoding='utf-8') as file:
            return file.read()

    def test_follows_the_exports_and_their_node(self):
        self.make_library(12, ['cudaMalloc', 'cudaMemcpy', 'cudaMemcpy_ptds', 'cudaGraphCreate',
                               'cudaGetDeviceProperties_v2', 'somethingElse'])
        self.assertEqual(self.generate().returncode, 0)
        self.assertEqual(self.read('entry_names.inc').split(),
                         ['"cudaGetDeviceProperties_v2",', '"cudaGraphCreate",', '"cudaMalloc",',
                          '"cudaMemcpy",', '"cudaMemcpy_ptds",'])
        self.assertTrue(self.read('libcudart.map').startswith('libcudart.so.12 {'))
        self.assertNotIn('somethingElse', self.read('libcudart.map'))
        self.assertEqual(sorted(self.read('hooked_entries.inc').splitlines()),
                         ['VRAM_HOOK(0, cudaGetDeviceProperties)', 'VRAM_HOOK(2, cudaMalloc)',
                          'VRAM_HOOK(3, cudaMemcpy)', 'VRAM_HOOK(4, cudaMemcpy)'])

    def test_takes_the_newest_of_several(self):
        self.make_library(12, ['cudaFree'])
        self.make_library(13, ['cudaFree', 'cudaMalloc'])
        found = subprocess.run([sys.executable, generator, '--find', self.toolkit],
                               check=True, capture_output=True, text=True).stdout.splitlines()
        self.assertEqual(found, ['13', os.path.join(self.toolkit, 'lib64', 'libcudart.so.13')])
        self.generate()
        self.assertIn('libcudart.so.13', self.read('real_library.h'))

    def test_writes_trampolines_for_either_machine(self):
        self.make_library(13, ['cudaFree', 'cudaMalloc'])
        self.generate()
        self.assertIn('jmp *vram_entry_table+8(%rip)', self.read('entry_points.cpp'))
        self.generate('aarch64')
        self.assertIn('ldr x16, [x16, :lo12:vram_entry_table+8]', self.read('entry_points.cpp'))

    def test_says_what_is_missing(self):
        result = self.generate()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('no libcudart.so.N', result.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
