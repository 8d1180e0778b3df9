/** The part of a prompt that is about the feature: excerpts of its papers. Where they fit whole, it is the same for all of its tasks. */
import type { Task } from '../task/task.ts'
import { oneLine } from '../text/text.ts'
import { divide } from './budget.ts'
import { excerpt, wordsOf } from './excerpt.ts'
import { cutRemark, NOTHING, type Made } from './part.ts'
import type { FeaturePapers } from './task-texts.ts'

export function featurePart({ name, spec, plan }: FeaturePapers, task: Task, room: number): Made {
  const papers = [spec, plan].filter((paper) => paper !== null)
  const read = papers.flatMap((paper) => (paper.is === 'read' && paper.text.trim() !== '' ? [paper] : []))
  const unread = papers.flatMap((paper) => (paper.is === 'unread' ? [`${paper.path}: ${paper.why}`] : []))
  if (read.length === 0) return { ...NOTHING, remarks: unread }
  const words = wordsOf([task.title, task.description, ...task.criteria].join('\n'))
  const heading = `## The feature ${oneLine(name, 80)}`
  const frames = read.map(({ path }) => [`<document path="${oneLine(path, 200)}">`, '</document>'] as const)
  const around = frames.reduce((sum, [open, close]) => sum + open.length + close.length + 4, heading.length)
  const wants = read.map((paper) => ({
    need: paper.text.trim().length,
    share: paper === spec ? SPEC_SHARE * room : (1 - SPEC_SHARE) * room,
  }))
  const rooms = divide(room - around, wants)
  const excerpts = read.map((paper, index) => excerpt(paper.text, words, Math.floor(rooms[index] ?? 0)))
  const framed = frames.map(([open, close], index) => `${open}\n${excerpts[index] ?? ''}\n${close}`)
  return {
    text: [heading, ...framed].join('\n\n'),
    from: read.map(({ path }) => path),
    remarks: [
      ...unread,
      ...read.flatMap((paper, index) => [
        ...(paper.whole ? [] : [`${paper.path}: only its beginning was read`]),
        ...cutRemark(paper.path, paper.text.trim(), excerpts[index] ?? ''),
      ]),
    ],
  }
}

/** What is wanted comes before how it is built. */
const SPEC_SHARE = 0.6
