/**
 * The plan that a completion must satisfy: checkboxes that were open at the base count until they are ticked, even if their text changed.
 * A person's edits of the plan while no agent works become part of the base, line by line; an agent's edits do not.
 */
import { checkboxKey, countOccurrences, parseCheckboxes, removeOccurrence } from './fix-plan.ts'
import { toggledCheckboxes } from './merge-plan.ts'

/**
 * The base's plan after a person changed `from` to `to`: without the lines they removed, with the lines they added. A checkbox that they
 * reopened is still one checkbox, even if the agent that ticked it had reworded it.
 */
export function applyPlanEdits(base: string, { from, to }: { from: string; to: string }): string {
  const before = countOccurrences(from.split('\n'))
  const after = countOccurrences(to.split('\n'))
  const kept: string[] = []
  const taken = new Map<string, number>()
  for (const line of base.split('\n')) {
    const gone = (before.get(line) ?? 0) - (after.get(line) ?? 0) - (taken.get(line) ?? 0)
    if (gone > 0) taken.set(line, (taken.get(line) ?? 0) + 1)
    else kept.push(line)
  }
  const own = withoutReopened(kept, { from, to })
  const end = own.at(-1) === '' ? own.slice(0, -1) : own
  return [...end, ...addedLines(to, before), ''].join('\n')
}

/** Removes the base's versions of reopened checkboxes: those with the same text, or with a part of it if the agent reworded them. */
function withoutReopened(lines: string[], { from, to }: { from: string; to: string }): string[] {
  const worded = new Set(parseCheckboxes(from, []).items.map(({ text }) => checkboxKey(text)))
  const open = parseCheckboxes(lines.join('\n'), []).items.filter(({ done }) => !done)
  const gone = new Set<number>()
  for (const { text, done } of toggledCheckboxes(from, to)) {
    if (done) continue
    const left = open.filter(({ line }) => !gone.has(line)).map((item) => ({ ...item, key: checkboxKey(item.text) }))
    const same =
      left.find(({ key }) => key === checkboxKey(text)) ??
      left.find(({ key }) => key !== '' && !worded.has(key) && checkboxKey(text).includes(key))
    if (same !== undefined) gone.add(same.line)
  }
  return lines.filter((_, at) => !gone.has(at))
}

/** The new lines, each below its headings: these decide whether a checkbox is optional. */
function addedLines(to: string, before: Map<string, number>): string[] {
  const known = new Map(before)
  const added: string[] = []
  let headings: string[] = []
  let told = ''
  for (const line of to.split('\n')) {
    const level = /^#+(?=\s)/.exec(line)?.[0].length
    if (level !== undefined) headings = [...headings.filter((one) => levelOf(one) < level), line]
    if (!removeOccurrence(known, line) && level === undefined && line.trim() !== '') {
      if (told !== headings.join('\n')) added.push(...headings)
      told = headings.join('\n')
      added.push(line)
    }
  }
  return added
}

function levelOf(heading: string): number {
  return heading.length - heading.replace(/^#+/, '').length
}

/** Checkboxes that were open and counted at the base, and are now neither ticked nor open and counted. */
export function droppedCheckboxes(base: string, now: string, optionalSections: string[]): string[] {
  const counted = parseCheckboxes(now, optionalSections).items.filter(({ optional, done }) => !optional || done)
  const there = countOccurrences(counted.map(({ text }) => checkboxKey(text)))
  const required = parseCheckboxes(base, optionalSections).items.filter(({ optional, done }) => !optional && !done)
  return required
    .map(({ text }) => text)
    .filter((text) => !removeOccurrence(there, checkboxKey(text)) && !removeReworded(there, checkboxKey(text)))
}

function removeReworded(there: Map<string, number>, key: string): boolean {
  if (key === '') return true
  const found = [...there.keys()].find((other) => other.includes(key))
  return found !== undefined && removeOccurrence(there, found)
}
