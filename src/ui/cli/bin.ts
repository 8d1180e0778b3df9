/** The program itself: everything else is imported by tests as well, this is not. */
import { main } from './main.ts'
import { standardStreams } from '../../system/terminal/streams.ts'

void main(process.argv.slice(2), standardStreams()).then((code) => {
  process.exitCode = code
})
