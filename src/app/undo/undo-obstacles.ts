/** The error if a run cannot be undone without somebody else's work: what prevents it, and what helps. */
import { RalphError } from '../../core/error.ts'
import { taskIdProblem } from '../../core/tasks/task-id.ts'
import type { TaskId } from '../../core/tasks/task.ts'
import { assertNever } from '../../core/assert-never.ts'
import { escapeInvisible } from '../../core/text/sanitize.ts'
import { git } from '../../workspace/repo/git.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { describeObstacle } from '../../workspace/undo/describe-obstacle.ts'
import { undoTargetName, type UndoTarget } from './undo-target.ts'
import type { Obstacle } from '../../workspace/undo/plan-revert.ts'

/** `builtOn`: the task whose commit prevents the undo; null: the commit belongs to no task. */
export function inseparableError(
  target: UndoTarget,
  obstacles: Obstacle[],
  { back, builtOn }: { back: boolean; builtOn: TaskId | null },
): RalphError {
  const name = undoTargetName(target)
  const what = back ? `the undo of ${name}` : name
  return new RalphError(
    'inseparable',
    escapeInvisible(
      `${what} can't be reverted alone, so nothing was changed: ${obstacles.map(describeObstacle).join('; ')}`,
    ),
    {
      hint: escapeInvisible(hintFor(target, obstacles, builtOn)),
      more: { lines: obstacles.flatMap(lines).map(escapeInvisible), facts: { obstacles } },
    },
  )
}

/** The task of the commit that prevents the undo, from its trailer. */
export async function taskBlockingUndo(repo: Repo, obstacles: Obstacle[]): Promise<TaskId | null> {
  const commit = obstacles.find((one) => one.is === 'commit')?.commit
  if (commit === undefined) return null
  const trailer = '--format=%(trailers:key=Ralph-Task,valueonly)'
  const { code, stdout } = await git(repo, ['log', '--no-show-signature', '--max-count=1', trailer, commit.sha])
  const [task = ''] = stdout.trim().split('\n')
  return code === 0 && taskIdProblem(task) === null ? task : null
}

/** Other obstacles disappear with the undo of the task that was built on this one. */
function hintFor(target: UndoTarget, obstacles: Obstacle[], builtOn: TaskId | null): string {
  if (builtOn !== null && builtOn !== target.task)
    return `Undo the task that builds on it first: ralph undo --task ${builtOn}`
  return [...new Set(obstacles.map((one) => helps(one, target)))].join('. ')
}

/** A task may follow other tasks, in the same run and in others, so a person chooses the state from the list. */
function rollback({ run, task }: UndoTarget): string {
  return task === null ? `ralph rollback ${run}/1` : 'ralph rollback lists the snapshots'
}

function helps(obstacle: Obstacle, target: UndoTarget): string {
  switch (obstacle.is) {
    case 'files':
    case 'control':
    case 'staged':
      // `-a` also stashes new and ignored files.
      return `Stash these files (git stash push -a -- FILE), undo, then apply the stash. Or restore all files, which also reverts your changes: ${rollback(target)}`
    case 'commit':
      return `Move it and later commits to a branch (git branch mine && git reset --keep ${obstacle.commit.sha.slice(0, 10)}~1), undo, and git cherry-pick what you want; or restore only the files: ${rollback(target)}`
    case 'history':
      return `Revert them with git (git revert, git rebase -i), or restore only the files: ${rollback(target)}`
    case 'branch':
      return obstacle.home === null
        ? 'Switch back first: git switch --detach COMMIT'
        : `Switch back first: git switch ${obstacle.home}`
    case 'unmerged':
      return 'Finish or abort it, then try again.'
    default:
      return assertNever(obstacle)
  }
}

function lines(obstacle: Obstacle): string[] {
  switch (obstacle.is) {
    case 'files':
    case 'control':
      return obstacle.files
    case 'staged':
      return obstacle.files.map((file) => `${file} (staged)`)
    case 'commit':
      return [
        `${obstacle.commit.sha.slice(0, 10)} ${obstacle.commit.subject}`,
        ...obstacle.files.map((file) => `  ${file}`),
      ]
    case 'history':
      return obstacle.gone.map(({ sha, subject }) => `${sha.slice(0, 10)} ${subject}`)
    case 'branch':
    case 'unmerged':
      return []
    default:
      return assertNever(obstacle)
  }
}
