/** Pages of the guide that are part of the package, so that `ralph help` can print them without the repository. */
import { assetPath, readText } from '../system/files/files.ts'

export const GUIDE_TOPICS = {
  'exit-codes': 'what the numbers mean that Ralph ends with',
} as const
export type GuideTopic = keyof typeof GUIDE_TOPICS

export function isGuideTopic(name: string): name is GuideTopic {
  return Object.hasOwn(GUIDE_TOPICS, name)
}

export function readGuidePage(topic: GuideTopic): string {
  return readText(assetPath(`../docs/guide/${topic}.md`))
}
