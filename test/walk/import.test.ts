/** `ralph import` with an agent is a run of one stage. What it does with documents: `test/long/import.test.ts`. */
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { testProject, type ScriptedTurn, type TestProject, type TestProjectOptions } from '../test-project.ts'

const PRD = '# Shop\n\nA shop for cats.\n'

const CONVERTS: ScriptedTurn = {
  steps: [
    { do: 'write', path: 'PROMPT.md', content: '# A shop\n' },
    { do: 'write', path: 'fix_plan.md', content: '- [ ] cart\n' },
    { do: 'write', path: 'requirements.md', content: '# Requirements\n\nEverything.\n' },
  ],
}

function shop(turns: ScriptedTurn[], options: TestProjectOptions = {}): Promise<TestProject> {
  return testProject({ prompt: '# Work\n', agents: ['claude'], files: { 'prd.md': PRD }, turns, ...options })
}

async function idsOf(project: TestProject): Promise<string[]> {
  const { stdout } = await project.ralph(['runs', '--all', '--json'])
  return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)
}

describe('an import is a run that nobody but its caller hears of', () => {
  test('no screen takes it for the last run, and runs --all lists it', async () => {
    const project = await shop([CONVERTS])
    expect((await project.ralph(['import', 'prd.md', '--force'])).code).toBe(0)
    expect((await project.ralph(['runs'])).stderr).toContain('this project has no runs yet')
    const [id = ''] = await idsOf(project)
    expect((await project.ralph(['runs', '--all'])).stdout).toContain('drafted')
    expect(JSON.parse((await project.ralph(['status', '--json'])).stdout)).toMatchObject({ run: null })
    expect(await project.git('for-each-ref', 'refs/ralph')).toBe('')
    expect((await project.ralph(['replay', id, '--check'])).code).toBe(0)
    for (const command of ['undo', 'resume'] as const)
      expect((await project.ralph([command, id])).stderr).toContain('is a ralph import run and cannot be')
  })

  test('one that was killed is dropped by the next one, and its call stays counted', async () => {
    const project = await shop([[{ do: 'hang' }]])
    const killed = project.start(['import', 'prd.md', '--force'])
    await killed.waitFor('claude reads prd.md')
    await expect.poll(() => project.starts().length).toBe(1)
    await killed.kill('SIGKILL')
    const [interrupted] = await idsOf(project)
    await project.play([CONVERTS])
    expect((await project.ralph(['import', 'prd.md', '--force'])).code).toBe(0)
    const left = await idsOf(project)
    expect([left.length, left.includes(interrupted ?? '')]).toEqual([1, false])
    const { quota } = JSON.parse((await project.ralph(['status', '--json'])).stdout) as {
      quota: { calls: number }
    }
    expect(quota.calls).toBe(2)
  })

  test('its agent never works in the project, and nothing of its folder stays', async () => {
    const project = await shop([CONVERTS], { git: false })
    const { code } = await project.ralph(['import', 'prd.md', '--force', '--json'], {
      env: { TMPDIR: project.home },
    })
    expect([code, project.has('requirements.md'), project.has('PROMPT.md')]).toEqual([0, false, false])
    expect(readdirSync(project.home).filter((name) => name.startsWith('ralph-import-'))).toEqual([])
  })
})

describe('who takes over', () => {
  const LIMITED: ScriptedTurn = [{ do: 'limit', kind: 'auth' }]
  const NAMED = '[agent]\norder = ["claude", "mine"]\n[agents.mine]\ncommand = ["sh", "-c", "touch started"]\n'

  test('is started only if its program is trusted', async () => {
    const project = await shop([CONVERTS], {
      toml: NAMED,
      trustsProject: false,
      turnsByAgent: { claude: [LIMITED] },
    })
    const { code, stderr } = await project.ralph(['import', 'prd.md', '--force'])
    expect([code, project.has('started')]).toEqual([2, false])
    expect(stderr).toContain('agents.mine')
  })
})
