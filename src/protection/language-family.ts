/** Languages whose code can be parsed and mutated line by line in the same way. */
import { extensionOf, keysByExtension } from './file-kinds.ts'

const EXTENSIONS = {
  js: 'js mjs cjs jsx',
  ts: 'ts mts cts tsx',
  python: 'py',
  ruby: 'rb',
  php: 'php',
  rust: 'rs',
  go: 'go',
  c: 'c h cc cpp cxx hpp hh',
  java: 'java kt kts scala',
  csharp: 'cs',
  swift: 'swift',
  shell: 'sh bash',
  lua: 'lua',
  perl: 'pl pm',
  elixir: 'ex exs',
}

export type LanguageFamily = keyof typeof EXTENSIONS

const FAMILIES = keysByExtension(EXTENSIONS)

/** Null: a kind of file for which there are no mutations. */
export function languageFamilyOf(path: string): LanguageFamily | null {
  return FAMILIES.get(extensionOf(path)) ?? null
}
