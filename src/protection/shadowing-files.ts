/** New files that shadow others: an import of a protected file would resolve to them instead of to what it meant at the base. */
import { languageOf, baseNameOf, stemOf } from './file-kinds.ts'
import type { ReferencesByFile } from './import-graph.ts'
import type { ProjectLayout } from './project-layout.ts'
import { resolveReference } from './resolve-reference.ts'
import type { IndexedTree } from './file-tree.ts'

export interface ShadowingFilesInput {
  base: IndexedTree
  final: IndexedTree
  project: ProjectLayout
  /** What the texts of the base refer to. */
  references: ReferencesByFile
  protectedPaths: readonly string[]
}

/**
 * A reference to a file of the base that still exists can now mean a new file: `add.ts` beside `add.js`. A name that meant no file of the
 * tree, because it belongs to the language or a package, can now mean a new file: `decimal.py` in the root.
 */
export function findShadowingFiles({
  base,
  final,
  project,
  references,
  protectedPaths,
}: ShadowingFilesInput): Set<string> {
  const found = new Set<string>()
  const added = new Set(final.paths.filter((path) => !base.has(path)))
  if (added.size === 0) return found
  for (const path of added) if (isNamedLikeLibrary(path, project)) found.add(path)
  for (const from of protectedPaths)
    for (const reference of references.get(from) ?? []) {
      if (reference.is === 'word') continue
      const before = resolveReference(base, project, from, reference).files
      const after = resolveReference(final, project, from, reference).files.filter((path) => added.has(path))
      if (after.length === 0) continue
      const isStill = before.some((path) => final.has(path) && !path.endsWith('__init__.py'))
      const isForeign =
        reference.is === 'module' && before.length === 0 && isKnownElsewhere(from, reference.to, project)
      for (const path of after) if (isForeign || (isStill && !isPair(path, before))) found.add(path)
    }
  return found
}

/** A header and its source belong together, and so do a package and its modules. */
function isPair(path: string, before: readonly string[]): boolean {
  if (languageOf(path) === 'c')
    return before.some((other) => stemOf(other) === stemOf(path)) && !/\.(?:h|hh|hpp|hxx)$/.test(path)
  if (languageOf(path) === 'go') return true
  if (languageOf(path) !== 'python') return false
  // `from calc import stats`: the package was meant before and still is; the new module is one of its own.
  return !before.some((other) => stemPath(other) === stemPath(path))
}

function stemPath(path: string): string {
  return path.replace(/\/__init__\.pyi?$/, '').replace(/\.pyi?$/, '')
}

/** A module that can be imported without a package name, in a folder that Python or Ruby searches first. */
function isNamedLikeLibrary(path: string, project: ProjectLayout): boolean {
  const language = languageOf(path)
  if (language === 'c') return SYSTEM_HEADERS.has(baseNameOf(path))
  if (language !== 'python' && language !== 'ruby') return false
  return project.roots.some((root) => {
    if (root !== '' && !path.startsWith(`${root}/`)) return false
    const top = (path.slice(root === '' ? 0 : root.length + 1).split('/')[0] ?? '').replace(/\.\w{1,4}$/, '')
    return language === 'python' ? isPythonLibrary(top, project) : RUBY.has(top)
  })
}

function isPythonLibrary(top: string, { asks }: ProjectLayout): boolean {
  return PYTHON.has(top) || asks.has(top.toLowerCase().replaceAll('_', '-'))
}

const SYSTEM_HEADERS = new Set(
  'assert.h ctype.h errno.h float.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h time.h unistd.h gtest.h gmock.h catch.hpp catch_all.hpp doctest.h unity.h cmocka.h check.h'.split(
    ' ',
  ),
)

/** Names of the language or its test libraries; other names may be the task's new files. */
function isKnownElsewhere(from: string, to: string, project: ProjectLayout): boolean {
  const top = to.split(/[./\\]/)[0] ?? ''
  const language = languageOf(from)
  // System headers are included in the same way as the project's.
  if (language === 'c') return true
  if (language === 'python') return !to.startsWith('.') && isPythonLibrary(top, project)
  if (language === 'ruby') return RUBY.has(top) || project.asks.has(top)
  return project.asks.has(to.startsWith('@') ? to.split('/').slice(0, 2).join('/') : top)
}

const PYTHON = new Set(
  'abc argparse array ast asyncio base64 bisect builtins bz2 calendar cmath codecs collections concurrent configparser contextlib contextvars copy csv ctypes dataclasses datetime decimal difflib dis doctest email enum errno fnmatch fractions functools gc getpass glob graphlib gzip hashlib heapq hmac html http importlib inspect io ipaddress itertools json keyword linecache locale logging math mimetypes multiprocessing numbers operator os pathlib pickle pkgutil platform pprint queue random re runpy secrets select shelve shlex shutil signal site socket sqlite3 statistics string struct subprocess sys sysconfig tarfile tempfile textwrap threading time timeit token tokenize tomllib trace traceback types typing unicodedata unittest urllib uuid warnings weakref xml zipfile zlib zoneinfo pytest _pytest pluggy hypothesis mock nose iniconfig packaging py exceptiongroup tomli six colorama pygments pkg_resources setuptools distutils encodings typing_extensions importlib_metadata faulthandler code cmd pdb copyreg opcode reprlib stat posixpath genericpath ntpath fileinput optparse getopt curses readline sched selectors ssl statistics this zipimport numpy pandas attr attrs coverage freezegun responses behave'.split(
    ' ',
  ),
)
const RUBY = new Set(
  'set json yaml date time csv erb fileutils minitest rspec test bundler open3 optparse ostruct pathname securerandom stringio tempfile timeout uri digest bigdecimal forwardable mocha webmock rake simplecov'.split(
    ' ',
  ),
)
