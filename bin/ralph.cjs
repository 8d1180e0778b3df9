#!/usr/bin/env node
'use strict'
/**
 * Starts the program. Here is only what cannot wait for it: an old Node is told which one is needed (so this file keeps to words that
 * every Node reads), `--version` is answered at the price of an empty start, and bundles come out of V8's code cache, which the build
 * laid beside them, instead of being compiled each time.
 */
const FLOOR = [20, 19]

const argv = process.argv.slice(2)
const found = process.versions.node.split('.').map(Number)
if (found[0] < FLOOR[0] || (found[0] === FLOOR[0] && found[1] < FLOOR[1])) {
  console.error(
    'Ralph needs Node ' +
      FLOOR.join('.') +
      ' or newer, and this is ' +
      process.versions.node +
      ': install one from nodejs.org.',
  )
  process.exitCode = 1
} else if (/^(--version|-V|version)$/.test(argv[0])) {
  say(require('../package.json').version + '\n')
} else {
  if (!require('fs').existsSync(__dirname + '/../dist/cli.cjs')) build()
  // Those of src/ui/cli/quick.
  const name = argv[0] === 'task' ? 'task-' + argv[1] : argv[0]
  if (/^(status|runs|stats|task-list)$/.test(name)) quickCommand(name)
  // Started once in every iteration, by the agent's program.
  else if (name === 'mcp' && argv.length === 1) load('mcp.cjs').runMcpServer(require('../package.json').version)
  else load('cli.cjs')
}

/** Node's stream is only loaded if the descriptor does not take it: it waits for a slow reader. One that went away is no error. */
function say(text) {
  try {
    require('fs').writeSync(1, text)
  } catch (refused) {
    process.stdout.on('error', (lost) => {
      if (lost.code === 'EPIPE') return
      process.exitCode = 7
      process.stderr.on('error', () => {})
      process.stderr.write('ralph: could not write all of the output: ' + lost.message + '\n')
    })
    process.stdout.write(text)
  }
}

/** A small bundle answers, or leaves it to the whole program. */
function quickCommand(name) {
  const words = name.split('-')
  load('quick-' + name + '.cjs')
    .quick(words.join(' '), argv.slice(words.length))
    .then((answer) => {
      if (answer === null) load('cli.cjs')
      else if (answer.isSaid) process.exit(answer.exit)
      else process.exitCode = answer.exit
    })
}

/** Whatever the cache is worth (none, of another V8, of other flags), the program is the same: V8 takes it or compiles the source. */
function load(name) {
  const fs = require('fs')
  const Module = module.constructor
  const Script = require('vm').Script
  const file = fs.realpathSync.native(__dirname + '/../dist/' + name)
  const bundle = new Module(file, module)
  bundle.filename = file
  // Chunks that are loaded later require this file: they must meet this very module.
  require.cache[file] = bundle
  const script = new Script(fs.readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: cached(fs, file + '.cache'),
  })
  bundle.loaded = true
  script.runInThisContext()(bundle.exports, Module.createRequire(file), bundle, file, require('path').dirname(file))
  return bundle.exports
}

function cached(fs, file) {
  try {
    return fs.readFileSync(file)
  } catch (absent) {
    return undefined
  }
}

/** A source checkout that was never built (npm ci --ignore-scripts) builds itself on the first call. */
function build() {
  const setup = require.resolve('../scripts/setup.mjs')
  const built = require('child_process').spawnSync(process.execPath, [setup, 'build'], {
    stdio: ['ignore', 2, 2],
  })
  if (built.status !== 0) process.exit(built.status === null ? 1 : built.status)
}
