/** Pages of the guide that are part of the package, so that `ralph help` can print them where there is no repository. */
import { assetPath, readText } from '../system/files/files.ts'

export const TOPICS = {
  'exit-codes': 'what the numbers mean that Ralph ends with',
} as const
export type Topic = keyof typeof TOPICS

export function isTopic(name: string): name is Topic {
  return Object.hasOwn(TOPICS, name)
}

export function readGuide(topic: Topic): string {
  return readText(assetPath(`../docs/guide/${topic}.md`))
}
