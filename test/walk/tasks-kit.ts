/** Gardens with tasks in them, for walks about what is seen of them. */
import { join } from 'node:path'
import { newTask, type NewTask } from '../../src/domain/task/task.ts'
import { openStore } from '../../src/store/db/open.ts'
import { addTasks } from '../../src/store/task/add.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { storeFolder } from '../../src/workspace/repo/repository-at.ts'
import { garden, type Garden, type GardenOptions, type ScriptedTurn } from '../garden.ts'

const TOML = '[task]\nverify = false\n\n[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
/** Every file that is there must be right. */
const FILES = { 'test.sh': 'for f in *.txt; do grep -q good "$f" || exit 1; done\n', 'zero.txt': 'good\n' }

export async function tasksGarden(options: GardenOptions, tasks: NewTask[]): Promise<Garden> {
  const place = await garden({ toml: TOML, files: FILES, prompt: null, ...options })
  const repo = await openRepo(place.path)
  const file = join(storeFolder(repo, place.path), 'ralph.db')
  const store = await openStore(file, { create: true, notice: () => {} })
  await store.sql.transaction((tx) => addTasks(tx, tasks, 1_000))
  await store.close()
  return place
}

export function task(id: string, more: Partial<NewTask> = {}): NewTask {
  return newTask(`Do ${id}`, { id, ...more })
}

/** An agent that writes the file of a task, and says that it is done. */
export function doing(id: string, { content = 'good\n', usd = 0.25 } = {}): ScriptedTurn {
  return {
    usage: { input: 1_000, output: 500, usd },
    steps: [
      { do: 'write', path: `${id}.txt`, content },
      { do: 'say', text: `Did it. <task-done>${id}</task-done>` },
    ],
  }
}

/** An agent that takes back what the last one left. */
export function mending(left: string, id: string): ScriptedTurn {
  const turn = doing(id)
  if (Array.isArray(turn)) return turn
  return { ...turn, steps: [{ do: 'write', path: `${left}.txt`, content: 'good\n' }, ...turn.steps] }
}
