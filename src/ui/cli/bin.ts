/** The entry point of the program; the only module here that tests do not import. */
import { main } from './main.ts'
import { standardStreams } from '../../system/terminal/streams.ts'

void main(process.argv.slice(2), standardStreams()).then((code) => {
  process.exitCode = code
})
