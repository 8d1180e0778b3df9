import { defineConfig } from 'rolldown'

/** Split and lazy: each command loads only its own chunks, which is what keeps `ralph --version` near an empty Node. */
export default defineConfig({
  input: { cli: 'src/ui/cli/main.ts', index: 'src/index.ts', 'scripted-agent': 'src/agents/scripted/main.ts' },
  platform: 'node',
  // The native SQLite binding stays a real package: its binaries cannot be bundled.
  external: ['@photostructure/sqlite'],
  output: {
    dir: 'dist',
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
})
