/**
 * Finds Python packages of the working tree that are installed in editable mode (`pip install -e .`) in an environment outside it: their
 * path files point to the working tree, so a trial would load its files instead of the clean room's. PYTHONPATH comes first, so the clean
 * room's folders are added to it.
 */
import { dirname, join, relative, sep } from 'node:path'
import { attempt } from '../../system/attempt.ts'
import { listFolder } from '../../system/files/files.ts'
import { resolvesInto, realPath } from '../../system/files/links.ts'
import { readTextOrNull, type HostEnvironment } from './shared-tools/tool-versions.ts'

/** Folders relative to the top of the working tree. */
export function editablePythonFolders({ env, top, home }: HostEnvironment): string[] {
  const roots = [env['VIRTUAL_ENV'], env['CONDA_PREFIX'], join(home, '.local'), '/usr/local']
  const pyenv = join(env['PYENV_ROOT'] ?? join(home, '.pyenv'), 'versions')
  const versions = list(pyenv).map((name) => join(pyenv, name))
  const sites = [...roots, ...versions]
    // An environment inside the tree is copied into the clean room, and its path files are rewritten there.
    .filter((root) => root !== undefined && !resolvesInto(root, top))
    .flatMap((root) => sitesOf(root ?? ''))
  const found = [...new Set(sites)].flatMap(notedFolders).filter((folder) => resolvesInto(folder, top))
  return [...new Set(found.map((folder) => inside(folder, top)))]
}

function sitesOf(root: string): string[] {
  const lib = join(root, 'lib')
  return list(lib)
    .filter((name) => name.startsWith('python'))
    .flatMap((name) => [join(lib, name, 'site-packages'), join(lib, name, 'dist-packages')])
}

/** The folders that path files in a site-packages folder name. */
function notedFolders(site: string): string[] {
  return list(site).flatMap((name) => {
    if (name.endsWith('.pth') || name.endsWith('.egg-link')) {
      return (readTextOrNull(join(site, name)) ?? '')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line.startsWith('/'))
    }
    if (!/^__editable___.*_finder\.py$/.test(name)) return []
    const mapping = /^MAPPING\b[^=]*=\s*(\{[^}]*\})/m.exec(readTextOrNull(join(site, name)) ?? '')?.[1] ?? ''
    return [...mapping.matchAll(/:\s*['"](\/[^'"]+)['"]/g)].map(([, path = '']) => dirname(path))
  })
}

function inside(folder: string, top: string): string {
  return relative(realPath(top) ?? top, realPath(folder) ?? folder)
    .split(sep)
    .join('/')
}

/** An unreadable folder counts as empty. */
function list(folder: string): string[] {
  return attempt(() => listFolder(folder), [])
}
