/** What was imported from the Rust tool, and what differs here or is not supported. */
import type { RustImportResult } from '../../../app/task/import-rust-tasks.ts'
import type { Paint } from '../colours.ts'

export function rustImportScreen({ file, at, isNew, amounts, report }: RustImportResult, p: Paint): string {
  const { mapped, left, version } = report
  const day = at.slice(0, 10)
  return [
    p.bold(
      isNew
        ? `Imported the tasks of Rust Ralph.`
        : `The tasks of Rust Ralph were imported on ${day}; nothing changed now.`,
    ),
    `  ${p.good('taken')}   ${amounts}, from ${file} (version ${version})`,
    ...mapped.flatMap((remark) => linesOf(remark, p.warn('mapped'))),
    ...left.flatMap((remark) => linesOf(remark, p.warn('left  '))),
    `  ${p.dim('note')}    ${file} is unchanged and will not be read again`,
    '',
  ].join('\n')
}

type Remark = RustImportResult['report']['mapped'][number]

function linesOf({ words, some, count }: Remark, mark: string): string[] {
  const more = count - some.length
  return [
    `  ${mark}  ${words}:`,
    ...some.map((one) => `            ${one}`),
    ...(more > 0 ? [`            … and ${more} more`] : []),
  ]
}
