/** The programs of a project: those of its language, of its build and start commands, and of its gates. */
import { gateProgram } from '../../core/text/gate-program.ts'
import { commandsInLine } from '../../core/text/shell.ts'
import { openProjectFiles, type DetectedLanguage } from '../../workspace/detect/project-files.ts'
import { detectLanguages } from '../../workspace/detect/detect-languages.ts'

/** Usual programs of each language, in addition to the detected commands. */
const PROGRAMS: Record<DetectedLanguage['type'], string> = {
  javascript: 'node npm npx',
  typescript: 'node npm npx tsc',
  python: 'python python3 pytest ruff mypy',
  ruby: 'ruby bundle rake rspec',
  php: 'php composer',
  elixir: 'elixir mix',
  dotnet: 'dotnet',
  java: 'java javac',
  rust: 'cargo rustc rustfmt',
  go: 'go gofmt',
}

/** These run any command, so only the complete line of a gate is allowed. */
const ANYTHING = new Set(
  'bash dash doas env eval exec fish ksh nice nohup sh source sudo time timeout xargs zsh'.split(' '),
)

/** Beginnings of commands: `npm`, `./gradlew`, `sh check.sh`. */
export function toolchainCommands(root: string, gates: readonly { run: string }[]): string[] {
  const kinds = detectLanguages(root)
  const files = openProjectFiles(root)
  const own = kinds.flatMap(({ type, gates: found, build, start }) => [
    ...(PROGRAMS[type] ?? '').split(' '),
    ...[...found.map(({ run }) => run), build, start].flatMap((line) => (line === null ? [] : programsIn(line))),
  ])
  const make = files.first('Makefile', 'makefile', 'GNUmakefile') === undefined ? [] : ['make']
  const just = files.first('justfile', 'Justfile', '.justfile') === undefined ? [] : ['just']
  const all = [...gates.flatMap(({ run }) => programsIn(run)), ...own, ...make, ...just]
  return [...new Set(all)].filter((words) => words !== '')
}

function programsIn(line: string): string[] {
  return (commandsInLine(line) ?? []).flatMap((part) => {
    const program = gateProgram(part)
    if (program === null) return []
    // A comma or a bracket would end the entry in a tool list.
    const words = ANYTHING.has(program) ? part : program
    return /[,()*]/.test(words) ? [] : [words]
  })
}
