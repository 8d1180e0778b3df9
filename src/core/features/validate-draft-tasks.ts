/**
 * Finds problems in the tasks of a drafted task file, without asking a model. A task file with errors cannot be accepted: its graph would
 * never finish, or prove less than it claims. Warnings are for a person to judge.
 */
import { DEPTH_MAX } from '../tasks/validate-task.ts'
import { describeCycle, findCycle, waitGraph, type WaitNode } from '../tasks/cycle.ts'
import { suggest } from '../text/suggest.ts'
import { clip, escapeInvisible } from '../text/sanitize.ts'
import { quoteForMessage, type DraftTask } from './task-file.ts'
import { createIsLater, type IsLater } from './task-order.ts'
import { normalizeTaskPath, findTasksSharingFiles } from './tasks-sharing-files.ts'
import {
  cannotFail,
  looksLikeTestPath,
  isBroadAllowance,
  looksLikeTestCommand,
  looksLikeCodePath,
} from './name-heuristics.ts'

const LEVELS = {
  'same-key': 'error',
  'unknown-parent': 'error',
  'unknown-dependency': 'error',
  cycle: 'error',
  'too-deep': 'error',
  'parent-checks': 'error',
  'parent-criteria': 'warning',
  orphan: 'warning',
  'too-large': 'warning',
  unchecked: 'warning',
  untested: 'warning',
  'shared-files': 'warning',
  'wide-tests': 'warning',
} as const

export type TaskFileProblemKind = keyof typeof LEVELS

export interface TaskFileProblem {
  level: 'error' | 'warning'
  what: TaskFileProblemKind
  /** Keys of the tasks concerned; empty: all of them. */
  tasks: string[]
  say: string
  /** What to do about it. */
  fix: string
}

export function validateDraftTasks(tasks: DraftTask[]): TaskFileProblem[] {
  const graph = graphOf(tasks)
  const errors = [...sameKeys(tasks), ...unknowns(tasks), ...cycles(graph), ...parentChecks(graph)]
  const warnings = [
    ...orphans(graph),
    ...parentCriteria(graph),
    ...graph.leaves.flatMap((task) => [...large(task), ...unchecked(task)]),
  ]
  const wide = graph.leaves.flatMap(wideTests)
  if (errors.length > 0) return [...errors, ...warnings, ...wide]
  const isLater = createIsLater(graph.nodes)
  return [...tooDeep(tasks), ...warnings, ...untested(graph, isLater), ...shared(graph, isLater), ...wide]
}

export function isTaskFileError({ level }: TaskFileProblem): boolean {
  return level === 'error'
}

interface Graph {
  tasks: DraftTask[]
  /** Tasks without children: only these are worked on. */
  leaves: DraftTask[]
  parents: DraftTask[]
  /** One for each key. */
  nodes: Map<string, WaitNode>
}

/** If two tasks have the same key, the first counts. */
function graphOf(tasks: DraftTask[]): Graph {
  const byKey = new Map(tasks.toReversed().map((task) => [task.key, task]))
  const first = tasks.filter((task) => byKey.get(task.key) === task)
  const nodes = waitGraph(first.map(({ key, after, ...task }) => ({ ...task, id: key, blockers: after })))
  const isParent = ({ key }: DraftTask): boolean => (nodes.get(key)?.children.length ?? 0) > 0
  return {
    tasks,
    nodes,
    leaves: tasks.filter((task) => !isParent(task)),
    parents: tasks.filter((task) => isParent(task)),
  }
}

function sameKeys(tasks: DraftTask[]): TaskFileProblem[] {
  const first = new Map<string, number>()
  return tasks.flatMap(({ key }, i) => {
    const twin = first.get(key)
    if (twin === undefined) {
      first.set(key, i)
      return []
    }
    const say = `tasks[${i}].key: tasks[${twin}] already has the key "${key}"`
    return [problem('same-key', [key], say, 'Give one of them a different key.')]
  })
}

function unknowns(tasks: DraftTask[]): TaskFileProblem[] {
  const keys = new Set(tasks.map(({ key }) => key))
  const there = (place: string, said: string, what: TaskFileProblemKind, own: string): TaskFileProblem[] => {
    if (keys.has(said)) return []
    const near = said.length < 3 ? null : suggest(clip(said, 40), keys)
    const say = `${place}: there is no task ${quoteForMessage(said)}`
    const fix = near === null ? 'Use the key of a task in this document, or remove it.' : `Did you mean "${near}"?`
    return [problem(what, [own], say, fix)]
  }
  return tasks.flatMap(({ key, parent, after }, i) => [
    ...(parent === null ? [] : there(`tasks[${i}].parent`, parent, 'unknown-parent', key)),
    ...after.flatMap((said, j) => there(`tasks[${i}].after[${j}]`, said, 'unknown-dependency', key)),
  ])
}

function cycles({ nodes }: Graph): TaskFileProblem[] {
  const cycle = findCycle(nodes.values())
  if (cycle === null) return []
  const keys = cycle.map(({ id }) => id)
  const shown = cycle.map(({ id, title }) => ({ id, title: escapeInvisible(title) }))
  const say = `circular dependency: ${describeCycle(shown)}`
  const fix =
    'Remove one "after" or "parent". A parent waits for its children, and a child waits for everything its parents wait for.'
  return [problem('cycle', keys, say, fix)]
}

/** Only leaves are worked on and proven. */
function parentChecks({ parents }: Graph): TaskFileProblem[] {
  return parents.flatMap(({ key, checks }) => {
    if (checks.length === 0) return []
    const say = `${quoteForMessage(key)} has children, so no agent works on it and its checks would never run`
    return [problem('parent-checks', [key], say, 'Move the checks to the child that makes them pass.')]
  })
}

/** A reviewer only judges leaves. No error: criteria also tell a person what the group is for. */
function parentCriteria({ parents }: Graph): TaskFileProblem[] {
  return parents.flatMap(({ key, criteria }) => {
    if (criteria.length === 0) return []
    const say = `${quoteForMessage(key)} has children, so no agent works on it and nobody checks its criteria`
    return [problem('parent-criteria', [key], say, 'Move them to the child that makes them true.')]
  })
}

function tooDeep(tasks: DraftTask[]): TaskFileProblem[] {
  const parents = new Map(tasks.map(({ key, parent }) => [key, parent]))
  const depths = new Map<string, number>()
  const depthOf = (key: string): number => {
    const parent = parents.get(key) ?? null
    const depth = depths.get(key) ?? 1 + (parent === null ? 0 : depthOf(parent))
    depths.set(key, depth)
    return depth
  }
  const deep = tasks.find(({ key }) => depthOf(key) > DEPTH_MAX)
  if (deep === undefined) return []
  const say = `${quoteForMessage(deep.key)} is ${depthOf(deep.key)} levels deep; the limit is ${DEPTH_MAX}`
  return [problem('too-deep', [deep.key], say, 'Nest it less deeply: remove a parent above it.')]
}

/** Unrelated tasks in a file whose other tasks belong together. A task after a whole group is often the final one and needs no parent. */
function orphans({ tasks, leaves, nodes }: Graph): TaskFileProblem[] {
  const waitedFor = new Set(tasks.flatMap(({ after }) => after))
  const isGroup = (key: string): boolean => (nodes.get(key)?.children.length ?? 0) > 0
  const isPlaced = ({ key, parent, after }: DraftTask): boolean =>
    parent !== null || isGroup(key) || after.some(isGroup)
  const isLinked = (task: DraftTask): boolean => isPlaced(task) || waitedFor.has(task.key) || task.after.length > 0
  return leaves
    .filter((leaf) => !isPlaced(leaf) && !waitedFor.has(leaf.key))
    .filter((leaf) => {
      const others = tasks.filter((task) => task !== leaf)
      const isAlone = leaf.after.length === 0 && others.every(isLinked)
      return others.length > 1 && (isAlone || others.every(isPlaced))
    })
    .map(({ key }) => {
      const say = `${quoteForMessage(key)} has no parent, and no task depends on it`
      return problem('orphan', [key], say, 'Give it a parent, or add it to the "after" of the task that needs it.')
    })
}

const FILES_MAX = 3
const WORDS_MAX = 2_000
const CRITERIA_MAX = 8

function large({ key, files, description, criteria, size }: DraftTask): TaskFileProblem[] {
  // Test files do not make a task larger.
  const paths = new Set(files.map(normalizeTaskPath).filter((path) => !looksLikeTestPath(path)))
  const words = Array.from(description).length
  const reasons = [
    paths.size > FILES_MAX ? `it writes ${paths.size} files` : null,
    [...paths].some((path) => /\*\*|(?:^|\/)\*$/.test(path)) ? 'it writes entire folders' : null,
    words > WORDS_MAX ? `its description has ${words} characters` : null,
    criteria.length > CRITERIA_MAX ? `it has ${criteria.length} criteria` : null,
    size === 'large' ? 'its size is "large"' : null,
  ].filter((reason) => reason !== null)
  if (reasons.length === 0) return []
  const say = `${quoteForMessage(key)} is large: ${reasons.join(', ')}`
  const fix = `Split it: agents work best with at most ${FILES_MAX} files at a time.`
  return [problem('too-large', [key], say, fix)]
}

function unchecked({ key, checks, criteria }: DraftTask): TaskFileProblem[] {
  const empty = checks.find(cannotFail)
  if (empty !== undefined) {
    const say = `${quoteForMessage(key)} has a check that cannot fail: ${quoteForMessage(empty)}`
    return [problem('unchecked', [key], say, 'Use a command that fails until the task is done.')]
  }
  if (checks.length > 0 || criteria.length > 0) return []
  const say = `${quoteForMessage(key)} has neither a check nor a criterion: only the project's gates would check it`
  return [
    problem('unchecked', [key], say, 'Add a criterion (what must be true) or a check (a command that must succeed).'),
  ]
}

function untested({ leaves }: Graph, isLater: IsLater): TaskFileProblem[] {
  const testing = leaves.filter(
    ({ files, tests, checks }) =>
      tests.length > 0 || files.some(looksLikeTestPath) || checks.some(looksLikeTestCommand),
  )
  if (testing.length === 0) {
    if (leaves.every(({ files }) => files.length > 0 && !files.some(looksLikeCodePath))) return []
    const say = 'no task writes a test or runs one'
    const fix = 'Each task should name its tests (files, tests) or a check that runs them.'
    return [problem('untested', [], say, fix)]
  }
  const isTested = (task: DraftTask): boolean => testing.some((one) => one === task || isLater(one.key, task.key))
  return leaves
    .filter((task) => task.files.some(looksLikeCodePath) && !isTested(task))
    .map(({ key }) => {
      const say = `${quoteForMessage(key)} writes code, and neither it nor a task after it names a test`
      return problem('untested', [key], say, 'Name its tests (files, tests), or a check that runs them.')
    })
}

/** With more pairs than this, the tasks should be divided differently anyway. */
const PAIRS_MAX = 12

function shared({ leaves }: Graph, isLater: IsLater): TaskFileProblem[] {
  const pairs = findTasksSharingFiles(leaves).filter(({ one, other }) => !isLater(one, other) && !isLater(other, one))
  const told = pairs.slice(0, PAIRS_MAX).map(({ one, other, file }) => {
    const say = `${quoteForMessage(one)} and ${quoteForMessage(other)} both write ${quoteForMessage(file)}, and neither comes after the other`
    return problem('shared-files', [one, other], say, 'Add one of them to the "after" of the other.')
  })
  const more = pairs.slice(PAIRS_MAX)
  if (more.length === 0) return told
  const keys = [...new Set(more.flatMap(({ one, other }) => [one, other]))]
  const say = `${more.length} more pairs of tasks write the same files, but have no order`
  return [...told, problem('shared-files', keys, say, 'In each pair, add one task to the "after" of the other.')]
}

function wideTests({ key, tests }: DraftTask): TaskFileProblem[] {
  const wide = tests.find(isBroadAllowance)
  if (wide === undefined) return []
  const say = `${quoteForMessage(key)} may change every test that ${quoteForMessage(wide)} matches, including those that check its own work`
  return [problem('wide-tests', [key], say, 'List only the tests that it writes.')]
}

function problem(what: TaskFileProblemKind, tasks: string[], say: string, fix: string): TaskFileProblem {
  return { level: LEVELS[what], what, tasks, say, fix }
}
