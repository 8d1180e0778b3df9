/** `ralph export`: one redacted file for a bug report. */
import { resolve } from 'node:path'
import { exportRun } from '../../../../app/run/export.ts'
import { EXIT } from '../../../../core/error.ts'
import { plural } from '../../../plain/format-values.ts'
import { VERSION } from '../../../version.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { EXPORT } from '../../command-table/view-commands.ts'
import { printResult } from '../../framework/print-result.ts'
import { openProject } from '../../framework/open-project.ts'

export const run: CommandHandler<typeof EXPORT> = async (input, io) => {
  const { root } = await openProject(input, io)
  const { output, logs, json } = input.flags
  const fileFor = (id: string): string | null =>
    output === '-' ? null : resolve(io.cwd, output ?? `ralph-${id}.jsonl`)
  const done = await exportRun(root, { run: input.args.run, fileFor, logs, version: VERSION })
  if (done.file === null) {
    io.out(done.text)
    return EXIT.done
  }
  const { text, ...told } = done
  const screen = (): string =>
    `${done.file}: run ${done.run}, ${plural(done.rows, 'row')}, ${plural(done.logs, 'log')}.
Names, home folders and secrets are removed. Check it before you send it: it still shows what the run worked on.
`
  return printResult({ ...told, bytes: Buffer.byteLength(text) }, screen, { json, io })
}
