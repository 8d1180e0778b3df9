/** A run and `ralph verify` judge by the same gates. */
import { expect, test } from 'vitest'
import { ADDS, CLAIM, FILES, judged, loop } from './judged.ts'

const gate = (name: string, run: string, when: string): string =>
  `[[gate]]\nname = "${name}"\nrun = "${run}"\nwhen = "${when}"\n`

const BOTH = gate('test', 'sh test/add.sh', 'completion') + gate('lint', 'sh -n src/add.sh', 'task')

test('a run and verify judge by the same list of gates, which is the list of the start block', async () => {
  const place = await judged({ toml: BOTH, turns: [[ADDS, CLAIM]] })
  const listed = (await place.ralph(['loop', '--dry-run'])).stdout
  const night = await loop(place)
  expect([night.code, night['verdict']]).toEqual([0, 'proven'])
  const verified = await place.ralph(['verify', '--json'])
  const { evidence } = JSON.parse(verified.stdout) as { evidence: { gate: string }[] }
  const names = evidence.map((one) => one.gate)
  expect(names).toEqual(['test', 'lint'])
  expect(gatesOfCompletion(night.said)).toEqual(names)
  for (const name of names) expect(listed).toContain(`${name}: `)
})

/** The gates that the completion of a run had to pass, as `--json` says. */
function gatesOfCompletion(said: string): string[] {
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; evidence: { gate: string; purpose: string } })
    .filter(({ type, evidence }) => type === 'gate-ended' && evidence.purpose === 'completion')
    .map(({ evidence }) => evidence.gate)
}

test.each(['loop --dry-run', 'loop', 'verify', 'status'])(
  'a gate for landing is refused by ralph %s: it would never run',
  async (command) => {
    const toml = gate('test', 'true', 'completion') + gate('e2e', 'exit 1', 'landing')
    const place = await judged({ toml, files: { ...FILES, 'src/add.sh': ADDS.content } })
    const ran = await place.ralph(command.split(' '))
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('gate[1].when: "landing" is not supported yet, so this gate would never run')
    expect(ran.stderr).toContain('Write when = "completion", or remove the gate from .ralph.toml.')
  },
)

test('ralph doctor reports it', async () => {
  const place = await judged({ toml: gate('e2e', 'exit 1', 'landing') })
  const { code, stdout } = await place.ralph(['doctor'])
  expect([code, stdout]).toEqual([1, expect.stringContaining('"landing" is not supported yet')])
})
