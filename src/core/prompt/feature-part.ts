/** The part of a prompt about the feature: excerpts of its documents. If they fit completely, it is the same for all of its tasks. */
import type { Task } from '../tasks/task.ts'
import { oneLine } from '../text/sanitize.ts'
import { divideSpace, byteSize } from './prompt-budget.ts'
import { wrapInFrame, quoteFrame, escapeDocumentTags } from './quoted-text.ts'
import { excerptByKeywords, keywordsOf } from './excerpt.ts'
import { truncationRemark, EMPTY_PART, type PartContent } from './prompt-part.ts'
import type { FeatureDocuments } from './task-texts.ts'

export function featurePart({ name, spec, plan }: FeatureDocuments, task: Task, room: number): PartContent {
  const documents = [spec, plan].filter((document) => document !== null)
  const read = documents.flatMap((document) =>
    document.is === 'read' && document.text.trim() !== '' ? [document] : [],
  )
  const unread = documents.flatMap((document) =>
    document.is === 'unread' ? [`${document.path}: ${document.why}`] : [],
  )
  if (read.length === 0) return { ...EMPTY_PART, remarks: unread }
  const words = keywordsOf([task.title, task.description, ...task.criteria].join('\n'))
  const heading = `## The feature ${oneLine(name, 80)}`
  const documentParts = read.map(({ path, text }) => ({
    frame: quoteFrame(`path="${oneLine(path, 200).replaceAll('"', "'")}"`),
    text: escapeDocumentTags(text),
  }))
  const around = documentParts.reduce((sum, { frame }) => sum + frame.size + 2, byteSize(heading))
  const requests = read.map((document, index) => ({
    need: byteSize(documentParts[index]?.text ?? ''),
    share: document === spec ? SPEC_SHARE * room : (1 - SPEC_SHARE) * room,
  }))
  const rooms = divideSpace(room - around, requests)
  const excerpts = documentParts.map(({ text }, index) => excerptByKeywords(text, words, Math.floor(rooms[index] ?? 0)))
  return {
    text: [heading, ...documentParts.map(({ frame }, index) => wrapInFrame(frame, excerpts[index] ?? ''))].join('\n\n'),
    from: read.map(({ path }) => path),
    remarks: [
      ...unread,
      ...read.flatMap((document, index) => [
        ...(document.whole ? [] : [`${document.path}: Ralph read only its beginning`]),
        ...truncationRemark(document.path, documentParts[index]?.text ?? '', excerpts[index] ?? ''),
      ]),
    ],
  }
}

/** The spec is more important than the plan. */
const SPEC_SHARE = 0.6
