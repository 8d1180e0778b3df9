/** Languages whose code can be parsed and mutated line by line in the same way. */
export type LanguageFamily =
  | 'js'
  | 'ts'
  | 'python'
  | 'ruby'
  | 'php'
  | 'rust'
  | 'go'
  | 'c'
  | 'java'
  | 'csharp'
  | 'swift'
  | 'shell'
  | 'lua'
  | 'perl'
  | 'elixir'

const ENDINGS: Record<string, LanguageFamily> = {
  js: 'js',
  mjs: 'js',
  cjs: 'js',
  jsx: 'js',
  ts: 'ts',
  mts: 'ts',
  cts: 'ts',
  tsx: 'ts',
  py: 'python',
  rb: 'ruby',
  php: 'php',
  rs: 'rust',
  go: 'go',
  c: 'c',
  h: 'c',
  cc: 'c',
  cpp: 'c',
  cxx: 'c',
  hpp: 'c',
  hh: 'c',
  java: 'java',
  kt: 'java',
  kts: 'java',
  scala: 'java',
  cs: 'csharp',
  swift: 'swift',
  sh: 'shell',
  bash: 'shell',
  lua: 'lua',
  pl: 'perl',
  pm: 'perl',
  ex: 'elixir',
  exs: 'elixir',
}

/** Null: a kind of file for which there are no mutations. */
export function languageFamilyOf(path: string): LanguageFamily | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? null : (ENDINGS[name.slice(dot + 1).toLowerCase()] ?? null)
}
