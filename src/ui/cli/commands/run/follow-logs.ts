/** `ralph logs -f`: prints the last lines, then new ones as they come, until the run ends or its engine is gone. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openGateOutputReader, type LogsQuery } from '../../../../app/run/logs.ts'
import { foldViewTolerantly, type RunView } from '../../../../core/presentation/run-view.ts'
import { openWatch } from '../../../../watch/watch.ts'
import type { LogPrinter } from './logs.ts'

/** Polls four times a second, like the dashboard. */
const LOOK_MS = 250

export async function followLogs(root: string, wanted: LogsQuery, { print, caughtUp }: LogPrinter): Promise<void> {
  const { parts, agents, mask } = wanted
  const watch = await openWatch({ root, run: wanted.run, agents, mask })
  const gates = await openGateOutputReader(root, watch.run)
  let view: RunView | null = null
  let iteration = 0
  const isWanted = (n: number): boolean => wanted.iteration === null || wanted.iteration === n
  try {
    for (;;) {
      const look = await watch.look()
      for (const row of look.rows) {
        for (const effect of row.effects) if (effect.type === 'run-agent') iteration = effect.iteration
        const folded = foldViewTolerantly(view, row)
        view = folded.view
        if (!isWanted(iteration)) continue
        if (parts.has('events') && !(await print({ from: 'events', iteration, moment: { row, ...folded, iteration } })))
          return
        if (row.event.type === 'gate-ended' && parts.has('gate')) {
          for await (const item of gates(iteration, row.event.evidence)) if (!(await print(item))) return
        }
      }
      if (look.more) continue
      for (const heard of look.words) {
        if (!parts.has('agent') || !isWanted(heard.iteration)) continue
        const gap = heard.missed === 0 ? [] : [{ type: 'remark' as const, text: `skipped ${heard.missed} bytes` }]
        for (const said of [...gap, ...heard.events]) {
          if (!(await print({ from: 'agent', iteration: heard.iteration, agent: heard.agent, said }))) return
        }
      }
      caughtUp()
      if (view?.outcome != null || look.runBy === null) return
      await sleep(LOOK_MS)
    }
  } finally {
    await watch.close()
  }
}
