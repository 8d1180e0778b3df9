/** `ralph export`: one redacted file for a bug report. */
import { resolve } from 'node:path'
import { exportRun } from '../../../../desk/run/export.ts'
import { EXIT } from '../../../../domain/error.ts'
import { count } from '../../../plain/format.ts'
import { VERSION } from '../../../version.ts'
import type { Run } from '../../frame/row.ts'
import { openProject } from '../../frame/project.ts'

export const run: Run = async (input, io) => {
  const { root } = await openProject(input, io)
  const [named] = input.args
  const output = input.flags['output']
  const fileFor = (id: string): string | null =>
    output === '-' ? null : resolve(io.cwd, typeof output === 'string' ? output : `ralph-${id}.jsonl`)
  const done = await exportRun(root, {
    run: named ?? null,
    fileFor,
    logs: input.flags['logs'] === true,
    version: VERSION,
  })
  if (done.file === null) {
    io.out(done.text)
    return EXIT.done
  }
  const { text, ...told } = done
  if (input.flags['json'] === true) io.out(`${JSON.stringify({ ...told, bytes: Buffer.byteLength(text) })}\n`)
  else {
    io.out(`${done.file}: run ${done.run}, ${count(done.rows, 'row')}, ${count(done.logs, 'log')}.\n`)
    io.out(
      'Names, home folders and secrets were taken out. Look it over before you send it: it still tells what was worked on.\n',
    )
  }
  return EXIT.done
}
