/** Gardens with tasks in their store, and what became of them. */
import { join } from 'node:path'
import { newTask, type NewTask } from '../../src/core/tasks/task.ts'
import { openStore } from '../../src/store/db/open-store.ts'
import { addTasks } from '../../src/store/task/add-tasks.ts'
import { findTask } from '../../src/store/task/find-task.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { storeFolder } from '../../src/workspace/repo/find-repo.ts'
import { testProject, type TestProject, type TestProjectOptions } from '../test-project.ts'

const GATE = '[task]\nverify = false\n\n[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
/** Every file that is there must be right. */
const FILES = { 'test.sh': 'for f in *.txt; do grep -q good "$f" || exit 1; done\n', 'zero.txt': 'good\n' }

export async function storeOf(fixture: TestProject): Promise<Awaited<ReturnType<typeof openStore>>> {
  const repo = await openRepo(fixture.path)
  return openStore(join(storeFolder(repo, fixture.path), 'ralph.db'), { create: true, notice: () => {} })
}

export async function withTasks(options: TestProjectOptions, tasks: NewTask[]): Promise<TestProject> {
  const fixture = await testProject({ toml: GATE, files: FILES, prompt: null, ...options })
  const store = await storeOf(fixture)
  await store.sql.transaction((tx) => addTasks(tx, tasks, 1_000))
  await store.close()
  return fixture
}

export async function statusOf(fixture: TestProject, ...ids: string[]): Promise<string[]> {
  const store = await storeOf(fixture)
  const tasks = await Promise.all(ids.map((id) => findTask(store.sql, id)))
  await store.close()
  return tasks.map((task) => task?.status ?? 'none')
}

export function task(id: string, more: Partial<NewTask> = {}): NewTask {
  return newTask(`Do ${id}`, { id, ...more })
}

export function taskTurn(id: string, content = 'good\n'): NonNullable<TestProjectOptions['turns']>[number] {
  return [
    { do: 'write', path: `${id}.txt`, content },
    { do: 'say', text: `Did it. <task-done>${id}</task-done>` },
  ]
}
