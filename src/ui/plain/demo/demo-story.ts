/** The demo's own words: what it is about, the caught cheat with its diff, and what to do next. */
import { relative } from 'node:path/posix'
import type { NewDemo, DemoKind } from '../../../app/project/demo.ts'
import type { Installation } from '../../../app/project/installation.ts'
import type { PendingAcceptance } from '../../../app/run/accept.ts'
import { assertNever } from '../../../core/assert-never.ts'
import { stripControl } from '../../../core/text/sanitize.ts'
import { quoteShellWord } from '../../../core/text/shell.ts'
import { paintPatchLine, type Paint } from '../colours.ts'
import { plural } from '../format-values.ts'

const ABOUT: Readonly<Record<DemoKind, string[]>> = {
  loop: [
    'A scripted agent writes a module for Roman numerals, and cheats on the way.',
    'The loop, the gate and the proof are real. It needs no account and no network.',
  ],
  tasks: [
    'A scripted agent works on five tasks with dependencies. One needs a retry,',
    'one fails, and one stays blocked by that. It needs no account and no network.',
  ],
}

export function demoHeader({ root, kind, earlier }: NewDemo, p: Paint): string {
  const facts = [
    ['folder', root],
    ...(earlier === 0 ? [] : [['', `${plural(earlier, 'earlier demo')} kept beside it`]]),
    ['agent', 'scripted (demo), $0.00 simulated'],
    ['gate', 'node test.mjs'],
  ]
  return [
    p.bold('A demo of Ralph'),
    ...ABOUT[kind],
    '',
    ...facts.map(([name = '', value = '']) => `  ${p.dim(name.padEnd(6))}  ${value}`),
    '',
    '',
  ].join('\n')
}

/** The changed test, the gates' result with and without it, and who decides. */
export function caughtCheatBlock({ files, red }: PendingAcceptance, p: Paint): string {
  const names = files.map(({ path }) => path).join(', ')
  const reason = red?.lines.split('\n').find((line) => line.includes(':')) ?? ''
  return [
    '',
    p.bad(p.bold(`Caught: the agent weakened ${names}.`)),
    ...files.flatMap(({ diff }) => changedLines(diff ?? '').map((line) => `    ${paintPatchLine(line, p)}`)),
    `  ${p.good('✓')} gates pass with the weakened ${names}`,
    `  ${p.bad('✗')} gates fail with the original ${names}:`,
    `    ${stripControl(reason).trim()}`,
    'Ralph says no. In your repository, `ralph accept` shows you this diff and asks;',
    'here the demo rejects it. The agent gets the reason and tries again:',
    '',
    '',
  ].join('\n')
}

function changedLines(diff: string): string[] {
  const lines = stripControl(diff).split('\n')
  return lines
    .filter((line) => /^[+-](?![+-]{2} )/.test(line))
    .map((line) => `${line.charAt(0)} ${line.slice(1).trim()}`)
}

export interface Person {
  installation: Installation
  /** The folder in which the demo was typed. */
  cwd: string
  /** The demo was started with `npm run demo`. */
  byNpm: boolean
}

/** Commands for the person who typed the demo; each works in the folder where they typed it. */
export function demoNextSteps({ root, kind }: Pick<NewDemo, 'root' | 'kind'>, person: Person, p: Paint): string {
  const other = kind === 'tasks' ? [] : [[demoCommand('--tasks', person), 'the same with tasks']]
  const look = [[`git -C ${quoteShellWord(root)} log --patch`, 'what the agent did'], ...other]
  const own = [
    ...installCommand(person).map((command) => [command, 'install Ralph']),
    ['cd your-repo', ''],
    ['ralph init', 'finds your gates and asks what to build'],
    ['ralph loop', 'runs until the work is proven done'],
  ]
  return ['', 'Look at it:', ...steps(look, p), '', p.bold('Now in your own repository:'), ...steps(own, p), ''].join(
    '\n',
  )
}

export function demoResumeHint(person: Person): string {
  return `\nResume the demo: ${demoCommand('--resume', person)}\n`
}

/** For a demo that ended in another way than it should. */
export function demoFailedHint({ root }: Pick<NewDemo, 'root'>, { installation }: Person): string {
  const ralph = installation.is === 'installed' ? 'ralph' : `node ${quoteShellWord(installation.program)}`
  return `\nThe demo did not end as planned. See why: (cd ${quoteShellWord(root)} && ${ralph} report)\n`
}

function steps(rows: string[][], p: Paint): string[] {
  const width = Math.min(44, Math.max(...rows.map(([command = '']) => command.length)))
  return rows.map(([command = '', why = '']) => `  ${command.padEnd(width)}  ${p.dim(why)}`.trimEnd())
}

function demoCommand(flag: string, { installation, byNpm }: Person): string {
  if (byNpm) return `npm run demo -- ${flag}`
  if (installation.is === 'installed') return `ralph demo ${flag}`
  return `node ${quoteShellWord(installation.program)} demo ${flag}`
}

/** A copy, not a link to the clone, so that the clone may be deleted. */
function installCommand({ installation, cwd }: Person): string[] {
  switch (installation.is) {
    case 'installed':
      return []
    case 'clone':
      return [`npm install -g --install-links ${quoteShellWord(relative(cwd, installation.folder) || '.')}`]
    case 'package':
      return ['npm install -g ralph-run']
    default:
      return assertNever(installation)
  }
}
