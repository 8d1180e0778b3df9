/**
 * `ralph doctor`: checks this machine and this project, and says how to fix what is missing. Exit 1 when something is bad.
 * `--env`: which variables of the environment are withheld.
 */
import { diagnose, type Diagnosis } from '../../../../app/doctor/doctor.ts'
import { withheldEnvFacts } from '../../../../app/doctor/withheld-env.ts'
import type { Finding } from '../../../../app/doctor/finding.ts'
import { EXIT } from '../../../../core/error.ts'
import { escapeInvisible } from '../../../../core/text/sanitize.ts'
import { plural } from '../../../plain/format-values.ts'
import { createPaint, type Paint } from '../../../plain/colours.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { DOCTOR } from '../../command-table/setup-commands.ts'
import { withheldEnvScreen } from '../../../plain/screens/withheld-env.ts'
import { createPrintCommand, printResult } from '../../framework/print-result.ts'
import { homeOf, openProjectOrFolder } from '../../framework/open-project.ts'

export const run: CommandHandler<typeof DOCTOR> = async (input, io) => {
  if (input.flags.env) return tellEnvironment(input, io)
  const diagnosis = await diagnose({ cwd: io.cwd, home: homeOf(io), env: io.env })
  const isWell = diagnosis.findings.every((finding) => finding.level !== 'bad')
  // {ok, root, findings: [{level, about, what, fix}]}
  return printResult({ ok: isWell, ...diagnosis }, () => screen(diagnosis, createPaint(io.colour)), {
    json: input.flags.json,
    io,
    exit: isWell ? EXIT.done : EXIT.error,
  })
}

// {mode, pass, withheld: [{name, from, why, line}]}
const tellEnvironment: CommandHandler<typeof DOCTOR> = createPrintCommand(
  async (input, io) => withheldEnvFacts((await openProjectOrFolder(input, io)).settings, io.env),
  (facts, { p }) => withheldEnvScreen(facts, p),
)

function screen({ root, findings }: Diagnosis, p: Paint): string {
  const width = Math.max(...findings.map((finding) => escapeInvisible(finding.about).length)) + 2
  return [
    `${p.bold('Ralph doctor')}${root === null ? '' : ` · ${root}`}`,
    '',
    ...findings.flatMap((finding) => lines(finding, width, p)),
    '',
    verdict(findings, p),
    '',
  ].join('\n')
}

function lines({ level, about, what, fix }: Finding, width: number, p: Paint): string[] {
  const mark = { ok: p.good('✓'), warn: p.warn('!'), bad: p.bad('✗') }[level]
  const first = `  ${mark} ${escapeInvisible(about).padEnd(width)}${clean(what)}`
  const margin = `  ${' '.repeat(2 + width)}`
  // Not wrapped: some lines are meant to be pasted.
  const [firstLine, ...pasted] = fix?.split('\n').map(clean) ?? []
  if (firstLine === undefined) return [first]
  return [first, `${margin}${p.dim(`→ ${firstLine}`)}`, ...pasted.map((line) => `${margin}  ${line}`)]
}

function clean(text: string): string {
  return escapeInvisible(text.replaceAll('\n', ' '))
}

function verdict(findings: Finding[], p: Paint): string {
  const bads = findings.filter((finding) => finding.level === 'bad').length
  const warns = findings.filter((finding) => finding.level === 'warn').length
  if (bads > 0) return p.bad(`Fix ${plural(bads, 'problem')} before a run.`)
  return warns === 0 ? p.good('Ready to run.') : p.warn(`Ready to run, with ${plural(warns, 'warning')}.`)
}
