/** Creates a folder with a project in it, under git from the start, as the bash tool's `ralph-setup NAME` did. */
import { basename, join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import type { SourceEnvironment } from '../../sources/task-source.ts'
import { ensureFolder, exists } from '../../system/files/files.ts'
import { git, gitOrThrow } from '../../workspace/repo/git.ts'
import { initDefaults, initProject, type InitResult } from './init.ts'
import { writeProjectFile } from './init-files.ts'
import { NO_COMMIT_WARNING } from './init-remarks.ts'
import { readmeText } from './templates.ts'

export async function createProject(root: string, env: SourceEnvironment): Promise<InitResult> {
  const name = basename(root)
  if (!/^[\w][\w .-]*$/.test(name)) {
    throw new RalphError('usage', `"${name}" is not a valid folder name`, {
      hint: 'Use letters, digits, dots and dashes: ralph-setup my-project',
    })
  }
  ensureFolder(join(root, 'src'), 0o755)
  const isNew = !exists(join(root, '.git'))
  if (isNew) await gitOrThrow({ root }, ['init', '--quiet'], { activity: `make ${root} a repository` })
  const done = await initProject({ ...initDefaults(root, env), name, made: 'bash' })
  writeProjectFile(done, { name: 'README.md', text: readmeText(name), force: false })
  if (isNew) await commitFirst(done)
  return done
}

/** Only in a repository that Ralph created. Git does not commit without a user name and address; then the user commits. */
async function commitFirst(done: InitResult): Promise<void> {
  const { root } = done
  await gitOrThrow({ root }, ['add', '--all'], { activity: 'add the new files' })
  const { code } = await git({ root }, ['commit', '--quiet', '--no-gpg-sign', '--message=Initial Ralph project setup'])
  done.remarks = done.remarks.filter((remark) => remark !== NO_COMMIT_WARNING)
  if (code === 0) done.git = 'ready'
  else done.remarks.push('git could not commit the new files (is user.email set?). Commit them yourself: git commit')
}
