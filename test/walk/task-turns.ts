/** What agents do in walks about what is seen of tasks; the gardens are those of every walk with tasks. */
import type { ScriptedTurn } from '../test-project.ts'

/** An agent that writes the file of a task, and says that it is done. */
export function taskTurn(id: string, { content = 'good\n', usd = 0.25 } = {}): ScriptedTurn {
  return {
    usage: { input: 1_000, output: 500, usd },
    steps: [
      { do: 'write', path: `${id}.txt`, content },
      { do: 'say', text: `Did it. <task-done>${id}</task-done>` },
    ],
  }
}

/** An agent that takes back what the last one left. */
export function fixTurn(left: string, id: string): ScriptedTurn {
  const turn = taskTurn(id)
  if (Array.isArray(turn)) return turn
  return { ...turn, steps: [{ do: 'write', path: `${left}.txt`, content: 'good\n' }, ...turn.steps] }
}
