/**
 * Follows a gate's command line to everything that defines it: package scripts and the scripts they call, make targets and what they
 * need, shell scripts, configuration named on the way, and the programs that are started. Pure: files come through `Shelf`.
 */
import { posix } from 'node:path'
import type { Gate } from '../domain/proof/evidence.ts'
import { BUILTINS, commandsIn, type ShellCommand } from './shell-commands.ts'
import { flagValue, withoutFlags } from './flags.ts'
import * as manager from './package-manager.ts'
import {
  composerScripts,
  expand,
  type Makefile,
  packageRunnerKeys,
  packageScripts,
  readJustfile,
  readMakefile,
  SHARED,
  STRICTNESS,
  variablesIn,
} from './script-parts.ts'

/** The files of a tree, by their paths from the project's folder. */
export interface Shelf {
  has(path: string): boolean
  /** Null: not there, or no text. */
  text(path: string): string | null
  /** Every path whose last part matches. */
  named(pattern: RegExp): string[]
}

/** A piece of a file that says how a gate runs. */
export interface Part {
  path: string
  /** For people: `the script "test"`. */
  what: string
  text: string
  /** The part without which this one would mean nothing. Null: it acts on every test. */
  of: string | null
}

export interface Program {
  word: string
  /** Where it is started, from the project's folder. */
  folder: string
  /** A package script finds programs of its project first, and so does a command started by a Python tool. */
  via: 'shell' | 'package' | 'venv'
  /** PATH where the gate sets its own. */
  path: string | null
}

export interface Definitions {
  parts: Record<string, Part>
  programs: Program[]
  /** Scripts that a gate runs and configuration it names: wholly the judge's. */
  judges: string[]
  /** Files with what is expected, compared by a gate: as good as tests. */
  samples: string[]
}

/** `programs`: those of the tree to compare with, so that the same configuration is looked at in both. */
export function definitionsOf(gates: Gate[], shelf: Shelf, programs: Program[] | null = null): Definitions {
  const walk = new Walk(shelf)
  for (const gate of gates) {
    const folder = posix.normalize(gate.cwd === '' ? '.' : gate.cwd).replace(/(?<=.)\/$/, '')
    walk.line(gate.run, { folder, via: 'shell', path: gate.env['PATH'] ?? null })
  }
  walk.shared(programs ?? walk.found.programs)
  return walk.found
}

type Place = Omit<Program, 'word'>

/** A script that calls scripts that call scripts: beyond this it is a circle that the names did not show. */
const DEPTH_MAX = 12
/** A workspace with more packages than this is protected in the first ones. */
const PACKAGES_MAX = 200

const INTERPRETERS = new Set(
  'node nodejs deno bun tsx ts-node python python2 python3 ruby perl php lua Rscript pypy3'.split(' '),
)
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', '.', 'source'])

/** A script of this name checks something; others may be the work itself, run to see what it does. */
const CHECKS =
  /(?:^|[/_.-])(?:tests?|check(?:s|er)?|verif(?:y|ier)|validat(?:e|or)|lint|spec|ci|gate|smoke|e2e|accept(?:ance)?|assert|manage|run[-_]?tests?)(?:[/_.-]|$)|^(?:scripts?|tools?|ci|\.ci|hack)\//i
const EXPECTED = /(?:^|[/_.-])(?:expect(?:ed)?|golden|baseline|fixtures?|reference)(?:[/_.-]|$)/i

class Walk {
  readonly found: Definitions = { parts: {}, programs: [], judges: [], samples: [] }
  private readonly seen = new Set<string>()
  private readonly shelf: Shelf

  constructor(shelf: Shelf) {
    this.shelf = shelf
  }

  line(script: string, place: Place, depth = 0): void {
    let folder = place.folder
    const outer: string[] = []
    for (const command of commandsIn(script)) {
      const [first = '', target] = command.words
      if (first === '(') outer.push(folder)
      else if (first === ')') folder = outer.pop() ?? folder
      else if (first === 'cd' && target !== undefined) folder = posix.join(folder, target)
      else if (depth < DEPTH_MAX) this.command(command, { ...place, folder }, depth)
    }
  }

  private command({ words, isExamined }: ShellCommand, place: Place, depth: number): void {
    const [first = '', ...args] = words
    this.namedFiles(words, place)
    if (first.includes('$')) return
    if (!BUILTINS.has(first)) this.program(first, place)
    const name = posix.basename(first)
    if (first.includes('/')) this.script(words, place, { depth, isShell: true, isExamined })
    if (SHELLS.has(name)) this.script(args, place, { depth, isShell: true, isExamined })
    else if (INTERPRETERS.has(name)) this.interpreter(args, place, { depth, isExamined })
    else if (name === 'make' || name === 'gmake') this.make(args, place, depth)
    else if (name === 'just') this.just(args, place, depth)
    else if (name === 'rake') this.whole('Rakefile', place)
    else if (name === 'composer') this.composer(args, place, depth)
    else if (name === 'concurrently')
      for (const arg of args) this.line(arg.replace(/^npm:/, 'npm run '), place, depth + 1)
    else this.packages(words, place, depth)
  }

  /** Package managers, and what starts programs of a Python or Ruby project. */
  private packages(words: string[], place: Place, depth: number): void {
    const asked = manager.readCall(words)
    if (asked === null) return
    const folder = posix.join(place.folder, asked.folder)
    if (asked.is === 'program')
      this.command({ words: asked.words, isExamined: false }, { ...place, folder, via: asked.via }, depth + 1)
    else {
      const own = asked.everywhere ? this.packageFiles() : [this.nearest('package.json', folder)]
      for (const path of own) {
        if (path === null) continue
        const known = asked.names.flatMap((name) => this.packageScript({ path, name, place }, depth))
        // `yarn vitest` runs a program where there is no script of that name.
        if (!known.includes(true) && asked.orProgram.length > 0) {
          this.command(
            { words: asked.orProgram, isExamined: false },
            { ...place, folder, via: 'package' },
            depth + 1,
          )
        }
      }
    }
  }

  private packageFiles(): string[] {
    const all = this.shelf.named(/^package\.json$/).filter((path) => !path.startsWith('../'))
    return all.filter((path) => !path.includes('node_modules/')).slice(0, PACKAGES_MAX)
  }

  /** Says of each script of this name (it may hold a `*`) whether it is there. */
  private packageScript(
    { path, name, place }: { path: string; name: string; place: Place },
    depth: number,
  ): boolean[] {
    const text = this.shelf.text(path) ?? ''
    const scripts = packageScripts(text)
    for (const [key, value] of Object.entries(packageRunnerKeys(text))) {
      this.part({ path, what: `the key "${key}"`, text: value, of: null })
    }
    const names = name.includes('*')
      ? Object.keys(scripts).filter((key) =>
          new RegExp(`^${name.split('*').map(escape).join('.*')}$`).test(key),
        )
      : [name]
    return names.map((one) => {
      const key = keyOf({ path, what: `the script "${one}"` })
      for (const script of [`pre${one}`, one, `post${one}`]) {
        const line = scripts[script]
        if (line === undefined || this.seen.has(`${path}#${script}`)) continue
        this.seen.add(`${path}#${script}`)
        this.part({ path, what: `the script "${script}"`, text: line, of: key })
        this.line(line, { ...place, folder: posix.dirname(path), via: 'package' }, depth + 1)
      }
      return scripts[one] !== undefined
    })
  }

  private make(args: string[], place: Place, depth: number): void {
    const folder = posix.join(place.folder, flagValue(args, ['-C', '--directory']) ?? '')
    const named = flagValue(args, ['-f', '--file', '--makefile'])
    const names = named === undefined ? ['GNUmakefile', 'makefile', 'Makefile'] : [named]
    this.targets(
      {
        names,
        folder,
        args: withoutFlags(args, ['-C', '-f', '-j', '--directory', '--file', '--makefile']),
        place,
      },
      readMakefile,
      depth,
    )
  }

  private just(args: string[], place: Place, depth: number): void {
    const named = flagValue(args, ['-f', '--justfile'])
    const names = named === undefined ? ['justfile', 'Justfile', '.justfile'] : [named]
    const rest = withoutFlags(args, ['-f', '--justfile', '-d', '--working-directory'])
    this.targets({ names, folder: place.folder, args: rest, place }, readJustfile, depth)
  }

  private targets(
    { names, folder, args, place }: { names: string[]; folder: string; args: string[]; place: Place },
    read: (text: string) => Makefile,
    depth: number,
  ): void {
    const path = names.map((name) => posix.join(folder, name)).find((one) => this.shelf.has(one))
    if (path === undefined) return
    const file = read(this.shelf.text(path) ?? '')
    const wanted = args.filter((arg) => !arg.includes('='))
    const queue = wanted.length > 0 ? wanted : file.first === null ? [] : [file.first]
    for (let target = queue.shift(); target !== undefined; target = queue.shift()) {
      const rule = Object.hasOwn(file.rules, target) ? file.rules[target] : undefined
      if (rule === undefined || this.seen.has(`${path}#${target}`)) continue
      this.seen.add(`${path}#${target}`)
      const variables = variablesIn(rule.text, file.variables)
      const text = [rule.text, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)].join(
        '\n',
      )
      this.part({
        path,
        what: `the target "${target}"`,
        text,
        of: keyOf({ path, what: `the target "${target}"` }),
      })
      if (file.settings !== '') this.part({ path, what: 'the general part', text: file.settings, of: null })
      queue.push(...rule.needs)
      this.line(expand(rule.recipe, variables), { ...place, folder: posix.dirname(path) }, depth + 1)
    }
  }

  private composer(args: string[], place: Place, depth: number): void {
    const path = posix.join(place.folder, 'composer.json')
    const scripts = composerScripts(this.shelf.text(path) ?? '')
    const names = args
      .filter((arg) => !arg.startsWith('-') && arg !== 'run' && arg !== 'run-script' && arg !== 'exec')
      .slice(0, 1)
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const lines = Object.hasOwn(scripts, name) ? (scripts[name] ?? '') : null
      if (lines === null || this.seen.has(`${path}#${name}`)) continue
      this.seen.add(`${path}#${name}`)
      this.part({
        path,
        what: `the script "${name}"`,
        text: lines,
        of: keyOf({ path, what: `the script "${name}"` }),
      })
      names.push(...[...lines.matchAll(/^@([\w:-]+)/gm)].map((match) => match[1] ?? ''))
      this.line(lines.replaceAll(/^@(?:php|composer)\s/gm, ''), { ...place, via: 'shell' }, depth + 1)
    }
  }

  private whole(name: string, { folder }: Place): void {
    const path = posix.join(folder, name)
    if (this.shelf.has(path)) this.add('judges', path)
  }

  /** `node check.js`, `python -m pytest`, `deno run x.ts`. */
  private interpreter(args: string[], place: Place, how: { depth: number; isExamined: boolean }): void {
    const module = args.indexOf('-m')
    if (module >= 0 && args[module + 1] !== undefined) {
      this.program(`-m ${args[module + 1]}`, place)
    } else this.script(args[0] === 'run' ? args.slice(1) : args, place, { ...how, isShell: false })
    if (args[0] === 'run' || args[0] === 'x') this.packages(['bun', ...args], place, how.depth)
  }

  /** A script whose exit code is the verdict judges. One whose output is looked at by another program is the work. */
  private script(
    args: string[],
    place: Place,
    how: { depth: number; isShell: boolean; isExamined: boolean },
  ): void {
    const word = args.find((arg) => !arg.startsWith('-') && !arg.startsWith('+'))
    const path = word === undefined || word.includes('$') ? null : posix.join(place.folder, word)
    if (path === null || !this.shelf.has(path)) return
    if (!CHECKS.test(path) && (!how.isShell || how.isExamined)) return
    const isNew = !this.found.judges.includes(path)
    this.add('judges', path)
    const text = this.shelf.text(path) ?? ''
    if (isNew && how.isShell && (/^#!.*sh\b/.test(text) || !text.startsWith('#!')))
      this.line(text, place, how.depth + 1)
  }

  private namedFiles(words: string[], { folder }: Place): void {
    for (const [i, word] of words.entries()) {
      if (i === 0 || word === '' || word.length > 500) continue
      const flag =
        /^--(?:config|configuration|config-file|configfile|project|rcfile|setup-file)(?:=(.+))?$/.exec(word)
      const isShort = (word === '-c' || word === '-p') && CONFIGURED.has(posix.basename(words[0] ?? ''))
      const value = flag?.[1] ?? (flag !== null || isShort ? words[i + 1] : undefined)
      const config = value === undefined ? null : posix.join(folder, value)
      if (config !== null && this.shelf.has(config)) this.add('judges', config)
      const path = posix.join(folder, word)
      if (EXPECTED.test(path) && this.shelf.has(path)) this.add('samples', path)
    }
  }

  private add(list: 'judges' | 'samples', path: string): void {
    if (!this.found[list].includes(path)) this.found[list].push(path)
  }

  private program(word: string, place: Place): void {
    const program = { word, ...place }
    const key = JSON.stringify(program)
    if (this.seen.has(key)) return
    this.seen.add(key)
    this.found.programs.push(program)
  }

  private part(part: Part): void {
    this.found.parts[keyOf(part)] ??= part
  }

  private nearest(name: string, folder: string): string | null {
    for (let at = folder; ; at = posix.dirname(at)) {
      const path = posix.join(at, name)
      if (this.shelf.has(path)) return path
      if (at === '.' || at === '/' || at.startsWith('..'))
        return this.shelf.has(`../${name}`) ? `../${name}` : null
    }
  }

  /** Files that are mostly about something else, wherever they lie in the project. */
  shared(programs: Program[]): void {
    const names = programs.map(({ word }) => posix.basename(word.replace(/^-m /, '')))
    const wanted = [
      ...SHARED,
      ...STRICTNESS.filter(({ program }) => names.some((name) => program.test(name))),
    ]
    for (const { name, parts } of wanted) {
      for (const path of this.shelf.named(name).filter(isOwn).slice(0, PACKAGES_MAX)) {
        for (const [what, text] of Object.entries(parts(this.shelf.text(path) ?? ''))) {
          this.part({ path, what: what.startsWith('[') ? what : `"${what}"`, text, of: null })
        }
      }
    }
  }
}

const CONFIGURED = new Set(
  'vitest jest tsc tsgo eslint pytest mypy playwright nyc ruff phpunit golangci-lint mocha'.split(' '),
)

function isOwn(path: string): boolean {
  return !path.startsWith('../') && !/(?:^|\/)(?:node_modules|vendor|\.venv|venv)\//.test(path)
}

export function keyOf({ path, what }: Pick<Part, 'path' | 'what'>): string {
  return `${path}: ${what}`
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
