/**
 * The dashboard over a long while: an agent that says a few lines a second, its run on one terminal (with the live line) and
 * `ralph watch` on another one. CPU of both processes, and their memory early, in the middle and at the end: what grows shows. Memory of a
 * Node that is left alone goes up and down by some tens of megabytes.
 *
 *   npm run bench -- dashboard [--minutes 60]
 *
 * Needs tmux, and Linux for its `/proc`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project, type CrashProject } from '../crash/crash-project.ts'

const MINUTES = 2
const SAMPLE_MS = 60_000
/** Longer than a terminal and the first words take on a busy machine. */
const BEGINNING_MS = 15_000
const ITERATION_MS = 180_000
/** Three lines each time: a sentence, a call and its result. */
const SAYING_MS = 800

interface Process {
  name: string
  pid: number
  began: Sample
  samples: Sample[]
}

interface Sample {
  atMs: number
  cpuMs: number
  rssMb: number
}

export async function dashboardBench({ minutes }: { minutes: number | null }): Promise<void> {
  if (process.platform !== 'linux') return console.log('  skipped: it reads /proc')
  if (spawnSync('tmux', ['-V']).status !== 0) return console.log('  skipped: tmux is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  const ground = project(folder, { toml: '[breaker]\nno_progress = 1000\n', turns: [chat()] })
  const socket = `ralph-bench-${process.pid}`
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', '-u', ...args], {
      cwd: ground.root,
      env: { ...ground.env, TERM: 'xterm-256color', LANG: 'C.UTF-8', NO_COLOR: '' },
      encoding: 'utf8',
    })
  try {
    await look(ground, tmux, minutes ?? MINUTES)
  } finally {
    ground.ralph(['stop', '--now'])
    spawnSync('tmux', ['-L', socket, 'kill-server'])
    ground.remove()
  }
}

async function look(ground: CrashProject, tmux: (...args: string[]) => string, minutes: number): Promise<void> {
  const ralph = [process.execPath, ground.ralphPath]
  const size = ['-x', '120', '-y', '40']
  tmux('new-session', '-d', '-s', 'run', ...size, ...ralph, 'loop', '--yes', '--max-iterations', '0')
  await pause(BEGINNING_MS)
  tmux('new-session', '-d', '-s', 'watch', ...size, ...ralph, 'watch')
  await pause(BEGINNING_MS)
  const seen = ['run', 'watch'].map((name): Process => {
    const pid = Number(tmux('display-message', '-p', '-t', name, '#{pane_pid}'))
    return { name, pid, began: sample(pid), samples: [] }
  })
  for (let minute = 1; minute <= minutes; minute += 1) {
    await pause(SAMPLE_MS)
    for (const one of seen) one.samples.push(sample(one.pid))
  }
  for (const { name, began, samples } of seen) {
    const last = samples.at(-1) ?? began
    const share = (100 * (last.cpuMs - began.cpuMs)) / (last.atMs - began.atMs)
    const memory = [...new Set([5, Math.ceil(minutes / 2), minutes])]
      .toSorted((a, b) => a - b)
      .flatMap((minute) => {
        const at = samples[minute - 1]
        return at === undefined ? [] : [`${at.rssMb.toFixed(0)} MB at minute ${minute}`]
      })
    console.log(`  ${name.padEnd(8)} ${share.toFixed(2)} % of a core; ${memory.join(', ')}`)
  }
  console.log(tmux('capture-pane', '-p', '-t', 'watch').replaceAll(/^/gm, '  | '))
}

/** One iteration of some minutes: sentences, calls, and now and then a file that changes. */
function chat(): object {
  const rounds = Math.floor(ITERATION_MS / SAYING_MS)
  const steps = Array.from({ length: rounds }, (_, n) => [
    { do: 'say', text: `Step ${n}: reading the next file, because the one before names it.` },
    n % 20 === 0
      ? { do: 'shell', command: `date +%s%N > work-${n}.txt` }
      : { do: 'tool', name: 'Read', input: { file_path: `src/file-${n}.ts` }, output: 'a line\n'.repeat(40) },
    { do: 'delay', ms: SAYING_MS },
  ])
  const status = {
    do: 'status',
    text: 'Going on.',
    fields: { STATUS: 'IN_PROGRESS', EXIT_SIGNAL: false },
  }
  return { steps: [...steps.flat(), status] }
}

/** Ticks of the kernel are hundredths of a second. */
function sample(pid: number): Sample {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return {
    atMs: Date.now(),
    cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
    rssMb: Number(rss) / 1024,
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
