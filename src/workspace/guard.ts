/**
 * Watches over the files that judge the work. `takeGuard` notes before the first iteration how they are, `checkGuard` says when
 * completion is claimed what became of them: tampering, edits of tests that call for a second run, and edits a person allowed.
 */
import { createHash } from 'node:crypto'
import { join, posix, resolve } from 'node:path'
import type { Snapshot } from '../domain/change.ts'
import { matchesGlob } from '../domain/glob.ts'
import type { TreeHash } from '../domain/ids.ts'
import type { Gate } from '../domain/proof/evidence.ts'
import type { GuardBase, GuardReport } from '../domain/proof/guard.ts'
import { mayChange } from '../domain/proof/protect.ts'
import { breather } from '../system/breath.ts'
import type { Errand } from '../system/errand.ts'
import { hashFile } from '../system/files.ts'
import type { Repo } from './place.ts'
import { keepCopies } from './guard-copies.ts'
import { hashOfMissing, missingFrom } from './guard-presence.ts'
import { compareParts, type Finding, type Judges, judgesIn } from './guard-rules.ts'
import { type Comparison, compareTests } from './guard-tests.ts'
import { textsOf, type View, viewOf } from './guard-view.ts'
import { compareTools, declares, findTools, isUpgradeOf, type ToolPlace, VERSION_FILES } from './tools.ts'
import { filesOf, prefixOf, type TreeFiles } from './tree-files.ts'

interface Guarded {
  repo: Repo
  /** The project's folder. */
  root: string
  gates: Gate[]
  /** Globs from the settings, from the project's folder: more files that are as good as tests. */
  protect: string[]
  /** What gates get as their environment: its PATH decides which programs they start. */
  env: Record<string, string>
}

export interface TakeOptions extends Guarded {
  tree: TreeHash
  /** The text of the plan, in which a person may have said which tests change. */
  plan: string | null
}

export async function takeGuard(options: TakeOptions): Promise<{ base: GuardBase; warnings: string[] }> {
  const { repo, root, tree, gates, protect, plan } = options
  const files = await filesOf(repo, { root, tree, when: 'now' })
  const view = await viewOf(files, { gates, by: repo.by })
  const standard = await standardFrom(view, { protect, by: repo.by })
  const { judges } = standard
  // Without git the base is read from copies, not from the folder, where it will be something else by then.
  if (repo.git !== null) void keep(keyOf(options), Promise.resolve(standard))
  else {
    const paths = [...files.keys()].filter(
      (path) =>
        judges.isJudge(path) || judges.isTest(path) || view.texts.has(path) || VERSION_FILES.has(path),
    )
    await keepCopies(repo, { root, tree, paths })
  }
  const absent = hashOfMissing(missingFrom(root, guardedPaths(files, judges)))
  const unmatched = protect.filter((glob) => ![...files.keys()].some((path) => matchesGlob(path, glob)))
  return {
    base: {
      tree,
      tools: toolsNow(view, options),
      settings: settingsNow(root),
      mayChange: plan === null ? [] : mayChange(plan),
      ...(absent === null ? {} : { absent }),
    },
    warnings: unmatched.map((glob) => `protect: no file matches ${glob}, so it protects nothing`),
  }
}

export interface CheckOptions extends Guarded {
  base: GuardBase
  now: Pick<Snapshot, 'tree'>
}

export async function checkGuard(options: CheckOptions): Promise<GuardReport> {
  const { repo, root, base, gates } = options
  const [{ view, judges, hadTests }, now] = await Promise.all([
    standardOf(options),
    filesOf(repo, { root, tree: options.now.tree, when: 'now' }),
  ])
  const changed = differences(view.files, now)
  const both: Comparison = { before: view.files, now, changed }
  const { by } = repo
  const present = changed.some(view.concerns) ? await viewOf(now, { gates, by, known: view }) : view
  const tools = toolsNow(view, options)
  const settings = settingsNow(root)
  const tests = await compareTests(both, { root, judges, mayChange: base.mayChange, by })
  const findings = [
    ...settingsFindings(base.settings, settings),
    ...judgeFindings(both, judges),
    ...compareParts(view.definitions, present.definitions, { hadTests }),
    ...(await toolFindings(both, { root, before: base.tools, now: tools, by })),
    ...tests.tampered,
    ...presenceFindings(base, missingFrom(root, guardedPaths(now, judges))),
  ]
  return {
    hash: hashOf({ tools, settings, parts: present.definitions.parts, files: guardedIds(now, judges) }),
    tampered: inOrder(findings),
    edited: tests.edited.sort(),
    permitted: tests.permitted.sort(),
  }
}

/** What the present is compared with. */
interface Standard {
  view: View
  judges: Judges
  hadTests: boolean
}

let kept: { key: string; standard: Promise<Standard> } | null = null

/** The base does not change, and a run has one: it is read once. */
async function standardOf({ repo, root, base, gates, protect }: CheckOptions): Promise<Standard> {
  const key = keyOf({ repo, root, gates, protect, tree: base.tree })
  if (kept?.key === key) return kept.standard
  const files = filesOf(repo, { root, tree: base.tree, when: 'then' })
  return keep(
    key,
    files
      .then((found) => viewOf(found, { gates, by: repo.by }))
      .then((view) => standardFrom(view, { protect, by: repo.by })),
  )
}

function keyOf({ repo, root, gates, protect, tree }: Omit<TakeOptions, 'env' | 'plan'>): string {
  return JSON.stringify([repo.root, root, tree, gates, protect])
}

function keep(key: string, standard: Promise<Standard>): Promise<Standard> {
  kept = { key, standard }
  standard.catch(() => {
    if (kept?.standard === standard) kept = null
  })
  return standard
}

async function standardFrom(
  view: View,
  { protect, by }: { protect: string[]; by: Errand | undefined },
): Promise<Standard> {
  const paths = [...view.files.keys()]
  const judges = judgesIn({ paths, definitions: view.definitions, protect })
  // Asked of every path once, here, where there is time to breathe: from now on all answers are remembered.
  const breathe = breather(by?.signal)
  let hadTests = false
  for (const path of paths) {
    await breathe()
    judges.isJudge(path)
    hadTests = judges.isTest(path) || hadTests
  }
  return { view, judges, hadTests }
}

function differences(then: TreeFiles, now: TreeFiles): string[] {
  const changed: string[] = []
  for (const [path, file] of then) {
    const other = now.get(path)
    if (other === undefined || other.id !== file.id || other.isLink !== file.isLink) changed.push(path)
  }
  for (const path of now.keys()) if (!then.has(path)) changed.push(path)
  return changed.sort()
}

/** Settings of Ralph, also where git ignores them and no snapshot holds them. */
const SETTINGS = ['.ralph.toml', '.ralphrc', '.ralph/config.json', '.ralph/.ralphrc']

function settingsNow(root: string): Record<string, string> {
  const hashes = SETTINGS.map((path) => [path, hashFile(join(root, path))] as const)
  return Object.fromEntries(hashes.filter((entry): entry is [string, string] => entry[1] !== null))
}

function settingsFindings(before: Record<string, string>, now: Record<string, string>): Finding[] {
  return SETTINGS.filter((path) => before[path] !== now[path]).map((path) => ({
    path,
    why: `${path} was ${before[path] === undefined ? 'added' : now[path] === undefined ? 'deleted' : 'changed'}`,
  }))
}

function judgeFindings({ before, now, changed }: Comparison, judges: Judges): Finding[] {
  return changed.flatMap((path) => {
    if (!judges.isJudge(path) || SETTINGS.includes(path)) return []
    if (!before.has(path)) {
      return judges.actsOnOld(path) ? [{ path, why: `${path} was added and changes how the tests run` }] : []
    }
    return [{ path, why: `${path} was ${now.has(path) ? 'changed' : 'deleted'}` }]
  })
}

function toolsNow({ definitions, files }: View, { repo, root, env }: Guarded): Record<string, string> {
  const up = prefixOf(repo, root)
    .split('/')
    .filter((part) => part !== '')
    .map(() => '..')
  const place: ToolPlace = { root, top: resolve(root, ...up), env }
  return findTools(definitions.programs, place, (path) => files.has(path))
}

async function toolFindings(
  { before: files, now: present, changed }: Comparison,
  {
    root,
    before,
    now,
    by,
  }: { root: string; before: GuardBase['tools']; now: GuardBase['tools']; by: Errand | undefined },
): Promise<Finding[]> {
  const no = () => false
  const strict = compareTools(before, now, { root, isDeclared: no, isUpgraded: no })
  if (strict.length === 0) return strict
  const manifests = [...files.keys()].filter(
    (path) => posix.basename(path) === 'package.json' && !path.includes('node_modules/'),
  )
  const versions = changed.filter((path) => VERSION_FILES.has(posix.basename(path)))
  const [declared, olds, news] = await Promise.all([
    textsOf(files, { paths: manifests.slice(0, 100), by }),
    textsOf(files, { paths: versions, by }),
    textsOf(present, { paths: versions, by }),
  ])
  return compareTools(before, now, {
    root,
    isDeclared: (name) => [...declared.values()].some((text) => declares(text ?? '', name)),
    isUpgraded: (name) =>
      versions.some((path) =>
        isUpgradeOf(name, { path, before: olds.get(path) ?? '', now: news.get(path) ?? '' }),
      ),
  })
}

/** What was missing from the start may stay so: many work in a sparse checkout. */
function presenceFindings(base: GuardBase, missing: string[]): Finding[] {
  if (missing.length === 0 || hashOfMissing(missing) === base.absent) return []
  return missing
    .slice(0, MISSING_TOLD)
    .map((path) => ({ path, why: `${path} is not in the folder any more, though git still has it` }))
}

/** Enough to see which folder it is about. */
const MISSING_TOLD = 20

function guardedPaths(files: TreeFiles, judges: Judges): string[] {
  return [...files.keys()].filter((path) => judges.isTest(path) || judges.isJudge(path))
}

function guardedIds(files: TreeFiles, judges: Judges): [string, string][] {
  return guardedPaths(files, judges).map((path) => [path, files.get(path)?.id ?? ''])
}

/** The same judge always gives the same hash. */
function hashOf(parts: {
  tools: object
  settings: object
  parts: object
  files: [string, string][]
}): string {
  const sorted = [parts.tools, parts.settings, parts.parts].map((part) =>
    Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  const files = parts.files.sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([...sorted, files]))
    .digest('hex')
}

function inOrder(findings: Finding[]): Finding[] {
  const once = new Map<string, Finding>()
  for (const finding of findings) {
    once.set(`${finding.path}\0${finding.why}`, finding)
  }
  return [...once.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}
