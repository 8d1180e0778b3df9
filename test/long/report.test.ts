/** The morning report: at the end of a run, in `.ralph/reports`, and by `ralph report`. */
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cellWidth } from '../../src/core/text/cell-width.ts'
import type { Report } from '../../src/core/presentation/report.ts'
import { DONE, testProject, NOT_YET, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { collapseSpaces, runInProcess } from '../run-in-process.ts'
import { finishSampleRun, runCommand, makeSampleProject } from '../walk/sample-run.ts'

let night: TestProject & { run: string }
beforeAll(async () => (night = await finishSampleRun({ until: 'removed', proof: 'full' })))
afterAll(() => night.remove())

test('what was done, proven, refused and spent', async () => {
  const { out, code } = await runCommand(night, 'report')
  expect(code).toBe(0)
  expect(out.split('\n')[0]).toBe(`Run ${night.run}: proven done`)
  expect(out).toMatch(/^ {2}Done +plan: 2 of 2 items done \(2 by this run\)$/m)
  expect(out).toMatch(/^ +[0-9a-f]{9} words: say hello \(2 files, \+2 −2\)$/m)
  expect(out).toMatch(/^ {2}Proof +✓ words: .* · sh src\/words\.sh \| grep -q world$/m)
  expect(out).toMatch(/^ {2}Done +plan: 2 of 2 items done \(2 by this run\)\n +✓ write hello\n +✓ write world\n/m)
  expect(out).toMatch(/^ {2}Rejected +✗ iteration 2: words failed \(exit 1\)$/m)
  expect(out).toMatch(/^ {2}Cost +3 iterations in 0:\d\d, \$0\.50, 2\.5k tokens\n +✓ 2 made changes, ✗ 1 rejected$/m)
})

test('the file in the project is the Markdown of the report, and git does not see it', async () => {
  const [file = ''] = (await readdir(join(night.path, '.ralph', 'reports'))).filter((name) => name.endsWith('.md'))
  expect(file).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\d-\\d{6}-${night.run}\\.md$`))
  expect(await readFile(join(night.path, '.ralph', 'reports', file), 'utf8')).toBe(
    (await runCommand(night, 'report', night.run, '--md')).out,
  )
  expect(await night.git('status', '--porcelain', '--', '.ralph/reports')).toBe('')
})

test('for programs: every field', async () => {
  const report = JSON.parse((await runCommand(night, 'report', '--json')).out) as Report
  expect([report.run, report.outcome?.verdict, report.done, report.commitCount]).toEqual([
    night.run,
    'proven',
    ['write hello', 'write world'],
    2,
  ])
})

test('at the end of a run the report comes before the result; --quiet leaves it out', async () => {
  const made = await makeSampleProject({ proof: 'full' })
  const { stdout } = await made.ralph(['loop'])
  expect(stdout.slice(0, stdout.indexOf('report     Done'))).toContain('words failed (exit 1)')
  expect(stdout.indexOf('report     Done')).toBeLessThan(stdout.indexOf('result     PROVEN DONE'))
  // What the lines of the run and the result say is printed once.
  expect(stdout).not.toMatch(/^report {5}(?:Result|Proof|Rejected|Cost|Next|Run )/m)
  expect(stdout).toMatch(/^report {5}report: \.ralph\/reports\/\S+\.md$/m)
})

test('mentions a report that cannot be written, and the run ends as usual', async () => {
  const made = await testProject({
    turns: [[{ do: 'status', text: 'Done.', fields: DONE }]],
    toml: '[exit]\nconfirm = 1\n',
  })
  const elsewhere = join(made.home, 'elsewhere')
  await mkdir(elsewhere)
  await symlink(elsewhere, join(made.path, '.ralph', 'reports'))
  const { code, stderr } = await made.ralph(['loop', '--quiet'])
  expect(code).toBe(0)
  expect(stderr).toContain('Could not write the report:')
  expect(await readdir(elsewhere)).toEqual([])
})

test.each([60, 80, 120])('no screen about a run is wider than %i columns', async (columns) => {
  const { path: cwd, env, run } = night
  for (const argv of [['report'], ['show'], ['status'], ['circuit']]) {
    const { out } = await runInProcess(argv, { cwd, env: { ...env }, columns })
    // Commands to type are not wrapped.
    const [prose = ''] = out.split(/^ {2}Next {2}/m)
    const wide = prose.split('\n').filter((line) => cellWidth(line) > columns && line.includes(' ', columns - 20))
    expect([argv, wide]).toEqual([argv, []])
    expect(out).toContain(run)
  }
})

test('a file that two iterations changed counts once, and what a person did meanwhile is said', async () => {
  const write = (content: string): ScriptedTurn => [
    { do: 'write', path: 'a.txt', content },
    { do: 'status', text: 'Some.', fields: NOT_YET },
  ]
  const made = await testProject({
    toml: '[loop]\npause = "1s"\n',
    plan: '- [ ] one\n- [ ] two\n',
    turns: [write('1\n'), write('1\n2\n'), write('1\n2\n3\n')],
  })
  const walk = made.start(['loop', '--max-iterations', '3'])
  await walk.waitFor(/iteration +✓ 1 /)
  await made.write('b.txt', 'mine\n')
  await walk.ended
  const { changed } = JSON.parse((await runCommand(made, 'report', '--json')).out) as Report
  expect(changed).toEqual({ files: 2, added: 4, removed: 0, from: 'snapshots', between: 1 })
  expect(collapseSpaces((await runCommand(made, 'report')).out)).toContain(
    'changed: 2 files, +4 −0, of which 1 file changed between iterations, not by an agent',
  )
})

test('what an earlier run proved is no proof of this one', async () => {
  const write = (content: string) => ({ do: 'write', path: 'src/one.txt', content }) as const
  const fixture = await testProject({
    toml: '[[gate]]\nname = "test"\nrun = "true"\n',
    plan: '- [x] one\n- [ ] two\n',
    turns: [
      [
        write('two\n'),
        { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] one\n- [x] two\n' },
        { do: 'status', text: 'All done.', fields: DONE },
      ],
    ],
  })
  await fixture.ralph(['loop'])
  await fixture.play([[write('three\n'), { do: 'status', text: 'Not yet.', fields: NOT_YET }]])
  await fixture.write('.ralph/fix_plan.md', '- [x] one\n- [x] two\n- [ ] three\n')
  await fixture.ralph(['loop', '--once'])
  expect((await runCommand(fixture, 'report')).out).toMatch(/^ {2}Proof +none \(no gate ran\)$/m)
})
