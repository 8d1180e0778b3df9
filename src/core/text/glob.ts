/** Path globs: `*` inside a folder, `**` across folders, `?`, `{a,b}`, `[abc]`. A pattern without a slash matches a name in any folder. */

const cache = new Map<string, RegExp>()

export function matchesGlob(path: string, glob: string): boolean {
  let pattern = cache.get(glob)
  if (pattern === undefined) {
    pattern = new RegExp(`^${source(glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`)}$`)
    // Globs come from settings and constants, so there are few. A plan could hold many, so the cache is bounded.
    if (cache.size > 500) cache.clear()
    cache.set(glob, pattern)
  }
  return pattern.test(path)
}

function source(glob: string): string {
  let out = ''
  for (let i = 0; i < glob.length; i += 1) {
    const c = glob[i] ?? ''
    if (c === '*' && glob[i + 1] === '*') {
      const slash = glob[i + 2] === '/'
      out += slash ? '(?:[^/]+/)*' : '.*'
      i += slash ? 2 : 1
    } else if (c === '*') out += '[^/]*'
    else if (c === '?') out += '[^/]'
    else if (c === '{' && glob.includes('}', i)) {
      const end = glob.indexOf('}', i)
      out += `(?:${glob
        .slice(i + 1, end)
        .split(',')
        .map(source)
        .join('|')})`
      i = end
    } else if (c === '[' && classAt(glob, i) !== null) {
      out += classAt(glob, i) ?? ''
      i = glob.indexOf(']', i + 2)
    } else out += c.replace(/[.+^$()|\\[\]{}]/, '\\$&')
  }
  return out
}

/** Null: `[` is literal. Some frameworks name route folders `[user-id]`, and a range that goes backwards is invalid. */
function classAt(glob: string, at: number): string | null {
  const end = glob.indexOf(']', at + 2)
  if (end === -1) return null
  const isOther = glob[at + 1] === '!'
  const signs = glob.slice(at + (isOther ? 2 : 1), end).replaceAll('\\', '\\\\')
  const isBackwards = [...signs.matchAll(/(.)-(.)/g)].some(([, from = '', to = '']) => from > to)
  return isBackwards ? null : `[${isOther ? '^' : ''}${signs}]`
}
