/** What accepting a document lets an agent's words do: commands that would be run as checks, and tests that may be changed. */
import type { Executed } from '../trust/trust.ts'
import type { DraftTask } from './document.ts'

export interface NamedBy {
  what: string
  /** Keys of the tasks that say it. */
  by: string[]
}

/** Each command once, in the order of the document. */
export function checksIn(tasks: DraftTask[]): NamedBy[] {
  return namedIn(tasks, ({ checks }) => checks)
}

export function testsIn(tasks: DraftTask[]): NamedBy[] {
  return namedIn(tasks, ({ tests }) => tests)
}

function namedIn(tasks: DraftTask[], saidBy: (task: DraftTask) => string[]): NamedBy[] {
  const found = new Map<string, string[]>()
  for (const task of tasks)
    for (const what of new Set(saidBy(task))) found.set(what, [...(found.get(what) ?? []), task.key])
  return [...found].map(([what, by]) => ({ what, by }))
}

/** `gates`: those of the project, by which the same command may be trusted already. */
export function checkPrograms(
  tasks: DraftTask[],
  { name, path, gates }: { name: string; path: string; gates: { name: string; run: string }[] },
): Executed[] {
  return checksIn(tasks).map(({ what, by }) => {
    const names = by.map((key) => `check of ${name}/${key}`)
    const same = gates.filter(({ run }) => run === what).map((gate) => `gate ${gate.name}`)
    return {
      setting: names[0] ?? '',
      run: what,
      cwd: '.',
      env: {},
      where: path,
      also: [...names.slice(1), ...same].map((setting) => ({ setting, run: what })),
    }
  })
}
