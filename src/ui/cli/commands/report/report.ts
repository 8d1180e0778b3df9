/** `ralph report`: the morning report of a run. */
import { reportFor } from '../../../../app/run/report.ts'
import { RalphError } from '../../../../core/error.ts'
import { reportBlock } from '../../../plain/screens/report.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import { printResult, styleOf } from '../../framework/print-result.ts'
import { openProject } from '../../framework/open-project.ts'
import type { REPORT } from '../../command-table/view-commands.ts'

export const run: CommandHandler<typeof REPORT> = async (input, io) => {
  checkFormat(input)
  const { args, flags } = input
  if (flags.html) return (await import('./report-page.ts')).run(input, io)
  const { root } = await openProject(input, io)
  const { report, markdown } = await reportFor(root, args.run)
  const { p, columns } = styleOf(io)
  return printResult(report, () => (flags.md ? markdown : reportBlock(report, p, { columns })), {
    json: flags.json,
    io,
  })
}

/** One format at a time, and a file only where one is written. */
function checkFormat({ args, flags: { html, md, json, output } }: CommandInput<typeof REPORT>): void {
  if (output !== null && !html)
    throw new RalphError('usage', '--output needs --html', {
      hint: `Like this: ralph report --html --output ${output}. Redirect other formats: ralph report --md > FILE`,
    })
  if (!html) return
  const other = md ? '--md' : json ? '--json' : null
  if (other !== null)
    throw new RalphError('usage', `--html and ${other} are two formats: choose one`, {
      hint: `Run it twice: ralph report --html, then ralph report ${other}`,
    })
  if (args.run !== null && /^-$|[./\\]/.test(args.run))
    throw new RalphError('usage', `${args.run} is a file, not a run`, {
      hint: `To write there: ralph report --html --output ${args.run}`,
    })
}
