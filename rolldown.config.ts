import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig, type RolldownOptions } from 'rolldown'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

const every: RolldownOptions = {
  platform: 'node',
  transform: { define: { __VERSION__: JSON.stringify(version) } },
  // The native SQLite binding stays a real package: its binaries cannot be bundled.
  external: ['@photostructure/sqlite'],
}

/** For programs that import us: one file each, which Node loads quicker than many. */
function whole(name: string, input: string) {
  return defineConfig({
    ...every,
    input: { [name]: input },
    output: { dir: 'dist', format: 'esm', minify: true, entryFileNames: '[name].js', codeSplitting: false },
  })
}

/** For the quick bundles: whatever is imported later is the whole program's business (see src/ui/cli/quick/quick-command.ts). */
const nothingLater = {
  name: 'nothing-later',
  resolveDynamicImport: () => ({ id: '\0later' }),
  load: (id: string) => (id === '\0later' ? `throw Symbol.for('ralph: the whole program')` : null),
}

/** A bundle of its own for `bin/ralph.cjs`. */
function small(name: string, input: string) {
  return defineConfig({
    ...every,
    plugins: [nothingLater],
    input: { [name]: input },
    output: { dir: 'dist', format: 'cjs', minify: true, entryFileNames: '[name].cjs', codeSplitting: false },
  })
}

/** The commands that have a bundle of their own, by their words: a file each. */
const QUICK = readdirSync('src/ui/cli/quick')
  .filter((file) => file !== 'quick-command.ts')
  .map((file) => file.replace(/\.ts$/, ''))

export default [
  /**
   * The program, as `bin/ralph.cjs` starts it. CommonJS, because Node's loader of modules alone costs a quarter of an empty start, and
   * only a script can come out of V8's code cache. Split and lazy: each command loads only its own chunks. But each file that Node loads
   * costs about a millisecond, so the entry holds all that the quickest commands need. (A group takes along what its files import.)
   */
  defineConfig({
    ...every,
    input: { cli: 'src/ui/cli/bin.ts' },
    output: {
      dir: 'dist',
      format: 'cjs',
      minify: true,
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name]-[hash].cjs',
      codeSplitting: {
        groups: [
          {
            name: 'cli',
            test: /src[\\/](ui[\\/]cli[\\/](bin|main|framework[\\/](find-command|parse-command-line|open-project)|command-table[\\/][\w-]+|commands[\\/]run[\\/]status)|config[\\/]legacy-layers|app[\\/]steer[\\/]breaker-and-conversation|core[\\/](presentation[\\/]run-view|state[\\/]upgrade))\.ts$/,
            priority: 2,
          },
          // Nobody else imports these, so they may be one piece without what they share with others.
          {
            name: 'bash-commands',
            test: /[\\/]bash-commands[\\/]/,
            includeDependenciesRecursively: false,
            priority: 1,
          },
          // Small commands: a file each would cost more than it saves.
          {
            name: 'steer',
            test: /(?:commands[\\/]steer[\\/](?!answer)|app[\\/]steer[\\/]guidance\.ts$)/,
            includeDependenciesRecursively: false,
            priority: 1,
          },
          // What nearly every command that is not quick needs: as one piece it is read once, and nothing in it needs what stands on it.
          {
            name: 'base',
            test: /src[\\/](?:core|system|store)[\\/](?!presentation[\\/]run-view|state[\\/]upgrade)/,
            includeDependenciesRecursively: false,
            priority: 1,
          },
          // Too small for a file each.
          {
            name: 'small',
            test: /(?:commands[\\/](?:project[\\/]prune|config|run[\\/](?:dry-run|export)|report[\\/]report)|app[\\/]run[\\/](?:github-summary|recent-runs|export)|startup[\\/]dry-run|watch[\\/]verify-record|[\\/]mcp(?:[\\/][\w-]+)?)\.ts$/,
            includeDependenciesRecursively: false,
            priority: 1,
          },
          {
            name: 'task',
            test: /(?:(?:commands|app)[\\/]task[\\/]|screens[\\/]task|app[\\/]read-input\.ts$)/,
            includeDependenciesRecursively: false,
            priority: 1,
          },
          {
            name: 'memory',
            test: /(?:(?:commands|app)[\\/](?:journal[\\/.]|knowledge[\\/.]|steer[\\/]answer\.ts$)|screens[\\/](?:notes|knowledge|questions)\.ts$)/,
            includeDependenciesRecursively: false,
            priority: 1,
          },
          // Without who drafts one: that is a run.
          {
            name: 'feature',
            test: /(?:(?:commands|app)[\\/]feature[\\/](?!create)|screens[\\/]feature|asking[\\/]accept-draft\.ts$)/,
            includeDependenciesRecursively: false,
            priority: 1,
          },
          {
            name: 'inspect',
            test: /[\\/](?:inspect(?:[\\/]|[\w-]*\.ts$)|(?:prompt-preview|simulate-breaker)\.ts$)/,
            includeDependenciesRecursively: false,
            priority: 1,
          },
          // Rooms that stand on each other, as one piece each: no two pieces of these can need each other. What is rarely needed stays lazy.
          ...Object.entries({
            settings: /src[\\/](?:compat|config)[\\/]/,
            agents: /src[\\/]agents[\\/](?!transport[\\/]acp(?:-turn|-terminal)?\.ts)/,
            repository: /src[\\/](?:workspace|protection)[\\/]/,
            engine: /src[\\/](?:engine|listeners)[\\/](?!startup[\\/]dry-run)/,
            output: /src[\\/](?:ui[\\/]plain|watch)[\\/](?!verify-record|screens[\\/]undo)/,
            foreground:
              /commands[\\/]run[\\/](?:foreground|start-run|start-in-background|watch-output)\.ts$|asking[\\/](?:confirm-start|interrupt|interview|permission)\.ts$/,
          }).map(([name, test]) => ({ name, test, includeDependenciesRecursively: false, priority: 1 })),
          // What several commands share, but no crumbs: they go with the nearest larger piece.
          { name: 'shared', entriesAware: true, entriesAwareMergeThreshold: 6_000, minShareCount: 2 },
        ],
      },
    },
  }),
  ...QUICK.map((name) => small(`quick-${name}`, `src/ui/cli/quick/${name}.ts`)),
  small('mcp', 'src/mcp/main.ts'),
  whole('index', 'src/index.ts'),
  whole('scripted-agent', 'scripted-agent/main.ts'),
]
