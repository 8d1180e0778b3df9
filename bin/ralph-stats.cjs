#!/usr/bin/env node
// The bash tool's command of this name: the same program, told how it was called.
process.argv.splice(2, 0, 'old:ralph-stats')
require('./ralph.cjs')
