/** `ralph report --html`: writes the page of a run and prints its path. A file of its own, because no other command needs the page. */
import { resolve } from 'node:path'
import { createRunMasker } from '../../../../config/run-masker.ts'
import { loadReportPage } from '../../../../app/report-page/load-page.ts'
import { writeReportPage } from '../../../../app/report-page/write-page.ts'
import { EXIT } from '../../../../core/error.ts'
import { reportPageHtml } from '../../../html/report-page.ts'
import { localTimestamp } from '../../../plain/format-values.ts'
import { VERSION } from '../../../version.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { REPORT } from '../../command-table/view-commands.ts'
import { openProject } from '../../framework/open-project.ts'

export const run: CommandHandler<typeof REPORT> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const { output } = input.flags
  const page = await loadReportPage(root, input.args.run, createRunMasker(settings, root))
  const html = reportPageHtml(page, { when: localTimestamp, version: VERSION })
  const file = output === null ? null : resolve(io.cwd, output)
  io.out(output === '-' ? html : `${writeReportPage({ root, report: page.report, file }, html)}\n`)
  return EXIT.done
}
