import { readFileSync } from 'node:fs'
import { defineConfig } from 'rolldown'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

/**
 * Split and lazy: each command loads only its own chunks. But each file that Node loads costs about a millisecond, so what nearly
 * every command needs is one chunk, and what even `ralph --version` needs is another, tiny one.
 */
export default defineConfig({
  input: { cli: 'src/ui/cli/bin.ts', index: 'src/index.ts', 'scripted-agent': 'src/agents/scripted/main.ts' },
  platform: 'node',
  transform: { define: { __VERSION__: JSON.stringify(version) } },
  // The native SQLite binding stays a real package: its binaries cannot be bundled.
  external: ['@photostructure/sqlite'],
  output: {
    dir: 'dist',
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      groups: [
        { name: 'first', test: /src\/(domain\/error|ui\/version|ui\/cli\/(main|io))\.ts$/, priority: 2 },
        // A group takes along what its files import, and so holds exactly what the quickest commands need.
        {
          name: 'common',
          test: /src\/ui\/cli\/(help|parse|commands|project|commands\/status)\.ts$/,
          priority: 1,
        },
      ],
    },
  },
})
