/** For tests: real repositories in temporary folders, handled by a plain git as the user would. */
import { dirname, join } from 'node:path'
import { ensureFolder, makeTempFolder, removeFolder, writeWithoutSync } from '../../src/system/files/files.ts'
import { buildHelperEnv } from '../../src/system/environment.ts'
import { runProgram } from '../../src/system/process/process.ts'
import { createRepoCache, type RepoCache } from '../../src/workspace/repo/repo-cache.ts'

export interface TestProject {
  root: string
  path(name: string): string
  write(files: Record<string, string>): void
  /** Runs a program in the test project and gives its output; throws when it fails. */
  sh(...argv: string[]): Promise<string>
  /** git as the user has it, hooks and all. */
  git(...args: string[]): Promise<string>
  /** All files, then a commit. */
  commit(message: string): Promise<string>
  remove(): void
  /** For a repository that is opened here again and again, and kept warm meanwhile. */
  cache: RepoCache
}

const testProjects: TestProject[] = []

/** An empty folder. */
export function aFolder(files: Record<string, string> = {}): TestProject {
  const testProject = testProjectAt(makeTempFolder('ralph-garden-'))
  testProjects.push(testProject)
  testProject.write(files)
  return testProject
}

/** A repository with these files committed; none: no commit yet. */
export async function aRepo(files: Record<string, string> = {}): Promise<TestProject> {
  const testProject = aFolder(files)
  // Without the template's sample hooks, which take longer to copy than all the rest.
  await testProject.git('init', '-q', '-b', 'main', '--template=')
  if (Object.keys(files).length === 0) return testProject
  await testProject.git('add', '-A')
  await testProject.git('commit', '-q', '-m', 'start')
  return testProject
}

export function testProjectAt(root: string): TestProject {
  const path = (name: string) => join(root, name)
  const sh = async (...argv: string[]) => {
    const { code, stdout, stderr } = await runProgram(argv, {
      cwd: root,
      env: buildHelperEnv({ pass: [], add: USER }),
    })
    if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
    return stdout
  }
  const git = (...args: string[]) => sh('git', ...args)
  return {
    root,
    path,
    sh,
    git,
    cache: createRepoCache(),
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        ensureFolder(dirname(path(name)), 0o755)
        writeWithoutSync(path(name), content, { mode: 0o644 })
      }
    },
    async commit(message) {
      await git('add', '-A')
      await git('commit', '-q', '-m', message)
      return (await git('rev-parse', 'HEAD')).trim()
    },
    remove: () => removeFolder(root),
  }
}

/** Removes every test project that was made; for `afterAll`. */
export function removeTestProjects(): void {
  for (const testProject of testProjects.splice(0)) testProject.remove()
}

const USER = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'User',
  GIT_AUTHOR_EMAIL: 'user@example.com',
  GIT_COMMITTER_NAME: 'User',
  GIT_COMMITTER_EMAIL: 'user@example.com',
}
