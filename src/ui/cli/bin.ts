/** The program itself: everything else is imported by tests as well, this is not. */
import { main } from './main.ts'
import { realIo } from './io.ts'

process.exitCode = await main(process.argv.slice(2), realIo())
