/** Links, and what a path really leads to. */
import { cpSync, lstatSync, mkdirSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileError, isAbsence } from './file-error.ts'

/** The path without any link in it, or null when it leads nowhere. */
export function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

/** Size, time of the last change and number of a file: enough to notice that a large one was replaced. */
export function stampOf(path: string): string | null {
  try {
    const { size, mtimeMs, ino } = statSync(path)
    return `${size}-${Math.trunc(mtimeMs)}-${ino}`
  } catch {
    return null
  }
}

/** When it was last changed, on the wall clock; null when it is not there. */
export function changedAt(path: string): number | null {
  try {
    return statSync(path).mtimeMs
  } catch {
    return null
  }
}

/** Whether a name is taken, also by a link that leads nowhere. */
export function isTaken(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (thrown) {
    if (isAbsence(thrown)) return false
    throw fileError(thrown, { doing: 'look at', path })
  }
}

/** A link at `path` that leads to `target`; its folder is made. */
export function linkTo(target: string, path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(target, path)
  } catch (thrown) {
    throw fileError(thrown, { doing: 'link', path })
  }
}

/** Copies a file or a folder, without anything called by one of these names. Links stay the links they are. */
export function copyTree(from: string, to: string, { without }: { without: ReadonlySet<string> }): void {
  try {
    mkdirSync(dirname(to), { recursive: true })
    const filter = (path: string) => path === from || !without.has(basename(path))
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter })
  } catch (thrown) {
    throw fileError(thrown, { doing: 'copy', path: from })
  }
}
