/** A small project whose completions are judged by trial: one program, one test of it, and turns that do the work or only claim it. */
import { DONE, garden, type Garden, type GardenOptions, type ScriptedTurn } from '../garden.ts'

export const GATE = '[[gate]]\nname = "test"\nrun = "sh test/add.sh"\n'
export const TEST = 'test "$(sh src/add.sh 1 2)" = 3\n'
/** It does not add yet. */
export const FILES = { 'src/add.sh': 'echo $(($1 - $2))\n', 'test/add.sh': TEST }

export const ADDS = { do: 'write', path: 'src/add.sh', content: 'echo $(($1 + $2))\n' } as const
export const STILL_WRONG = { do: 'write', path: 'src/add.sh', content: 'echo $(($1 * $2))\n' } as const
export const CLAIM = { do: 'status', text: 'All done.', fields: DONE } as const
/** The code is still wrong, and the test now says that this is right. */
export const WEAKER = [
  STILL_WRONG,
  { do: 'write', path: 'test/add.sh', content: TEST.replace('= 3', '= 2') },
] as const

export function judged(more: GardenOptions = {}): Promise<Garden> {
  return garden({ proof: 'full', toml: GATE, files: FILES, ...more })
}

/** What a loop came to, with all it said. */
export interface Night {
  place: Garden
  code: number | null
  said: string
  [field: string]: unknown
}

export async function night(
  turns: ScriptedTurn[],
  more: GardenOptions = {},
  args: string[] = [],
): Promise<Night> {
  const place = await judged({ turns, ...more })
  return loop(place, ...args)
}

/** The same place again, perhaps with other turns. */
export async function anotherNight(
  { place }: Pick<Night, 'place'>,
  turns: ScriptedTurn[],
  ...args: string[]
): Promise<Night> {
  await place.play(turns)
  return loop(place, ...args)
}

export async function loop(place: Garden, ...args: string[]): Promise<Night> {
  const { code, stdout } = await place.ralph(['loop', '--json', ...args])
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>
  return { ...last, place, code, said: stdout }
}

/** What an agent is told at the beginning of its turn. */
export function told(matches: string): { do: 'expect-prompt'; matches: string } {
  return { do: 'expect-prompt', matches }
}
