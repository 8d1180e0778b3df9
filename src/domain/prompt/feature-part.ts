/** The part of a prompt that is about the feature: excerpts of its papers. Where they fit whole, it is the same for all of its tasks. */
import type { Task } from '../task/task.ts'
import { oneLine } from '../text/text.ts'
import { divide, sizeOf } from './budget.ts'
import { framed, frameOf, harmless } from './document.ts'
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
  const documents = read.map(({ path, text }) => ({
    frame: frameOf(`path="${oneLine(path, 200).replaceAll('"', "'")}"`),
    text: harmless(text),
  }))
  const around = documents.reduce((sum, { frame }) => sum + frame.size + 2, sizeOf(heading))
  const wants = read.map((paper, index) => ({
    need: sizeOf(documents[index]?.text ?? ''),
    share: paper === spec ? SPEC_SHARE * room : (1 - SPEC_SHARE) * room,
  }))
  const rooms = divide(room - around, wants)
  const excerpts = documents.map(({ text }, index) => excerpt(text, words, Math.floor(rooms[index] ?? 0)))
  return {
    text: [heading, ...documents.map(({ frame }, index) => framed(frame, excerpts[index] ?? ''))].join(
      '\n\n',
    ),
    from: read.map(({ path }) => path),
    remarks: [
      ...unread,
      ...read.flatMap((paper, index) => [
        ...(paper.whole ? [] : [`${paper.path}: only its beginning was read`]),
        ...cutRemark(paper.path, documents[index]?.text ?? '', excerpts[index] ?? ''),
      ]),
    ],
  }
}

/** What is wanted comes before how it is built. */
const SPEC_SHARE = 0.6
