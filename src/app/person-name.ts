/** The name of the person at this machine, as git knows it. */
import { currentUser } from '../system/current-user.ts'
import { git } from '../workspace/repo/git.ts'

/** Inside a container the login name is often `root`, so git's identity comes first. */
export async function personName(root: string): Promise<string> {
  const { stdout } = await git({ root }, ['config', '--get', 'user.name'])
  return stdout.trim() || currentUser().user || 'somebody'
}
