/** Gardens with tasks in their store, and what became of them. */
import { join } from 'node:path'
import { newTask, type NewTask } from '../../src/domain/task/task.ts'
import { openStore } from '../../src/store/db/open.ts'
import { addTasks } from '../../src/store/task/add.ts'
import { findTask } from '../../src/store/task/find.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { storeFolder } from '../../src/workspace/repo/repository-at.ts'
import { garden, type Garden, type GardenOptions } from '../garden.ts'

const GATE = '[task]\nverify = false\n\n[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
/** Every file that is there must be right. */
const FILES = { 'test.sh': 'for f in *.txt; do grep -q good "$f" || exit 1; done\n', 'zero.txt': 'good\n' }

export async function storeOf(place: Garden): Promise<Awaited<ReturnType<typeof openStore>>> {
  const repo = await openRepo(place.path)
  return openStore(join(storeFolder(repo, place.path), 'ralph.db'), { create: true, notice: () => {} })
}

export async function withTasks(options: GardenOptions, tasks: NewTask[]): Promise<Garden> {
  const place = await garden({ toml: GATE, files: FILES, prompt: null, ...options })
  const store = await storeOf(place)
  await store.sql.transaction((tx) => addTasks(tx, tasks, 1_000))
  await store.close()
  return place
}

export async function statusOf(place: Garden, ...ids: string[]): Promise<string[]> {
  const store = await storeOf(place)
  const tasks = await Promise.all(ids.map((id) => findTask(store.sql, id)))
  await store.close()
  return tasks.map((task) => task?.status ?? 'none')
}

export function task(id: string, more: Partial<NewTask> = {}): NewTask {
  return newTask(`Do ${id}`, { id, ...more })
}

export function doing(id: string, content = 'good\n'): NonNullable<GardenOptions['turns']>[number] {
  return [
    { do: 'write', path: `${id}.txt`, content },
    { do: 'say', text: `Did it. <task-done>${id}</task-done>` },
  ]
}
