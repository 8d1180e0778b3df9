/** The program itself: everything else is imported by tests as well, this is not. */
import { main } from './main.ts'
import { realIo } from './frame/io.ts'

void main(process.argv.slice(2), realIo()).then((code) => {
  process.exitCode = code
})
