/** The gates of a crate or of a workspace of crates. */
import {
  hasTomlTable,
  ciWorkflowText,
  tomlName,
  type ProjectFiles,
  type FoundGate,
  type DetectedLanguage,
} from './project-files.ts'

export function detectRust(files: ProjectFiles): DetectedLanguage | null {
  if (!files.has('Cargo.toml')) return null
  const manifest = files.text('Cargo.toml')
  const all = hasTomlTable(manifest, 'workspace') ? ' --workspace' : ''
  const why = all === '' ? 'there is a Cargo.toml' : 'the Cargo.toml has a workspace'
  const gates: FoundGate[] = [
    { name: 'test', run: `cargo test${all}`, why, slow: 'compiles' },
    ...clippy(files, manifest, all),
    ...(files.has('.cargo/mutants.toml')
      ? [{ name: 'mutation', run: 'cargo mutants', why: 'there is a .cargo/mutants.toml', slow: 'mutation' as const }]
      : []),
  ]
  return {
    type: 'rust',
    name: tomlName(manifest, ['package']),
    manager: 'cargo',
    gates,
    build: `cargo build${all}`,
    start: 'cargo run',
  }
}

function clippy(files: ProjectFiles, manifest: string, all: string): FoundGate[] {
  const pipeline = ciWorkflowText(files)
  const config = files.first('clippy.toml', '.clippy.toml')
  const toolchain = files.first('rust-toolchain.toml', 'rust-toolchain')
  const sign =
    config !== undefined
      ? `there is a ${config}`
      : ['lints.clippy', 'workspace.lints.clippy'].some((table) => hasTomlTable(manifest, table))
        ? 'the Cargo.toml configures clippy'
        : toolchain !== undefined && files.text(toolchain).includes('clippy')
          ? `the ${toolchain} names clippy`
          : /\bcargo[ -]clippy\b|\bclippy\b/.test(pipeline)
            ? 'the pipeline runs clippy'
            : null
  if (sign === null) return []
  // Warnings are errors only if the project's own pipeline says so.
  const strict = /-D\s*warnings/.test(pipeline) ? ' -- -D warnings' : ''
  return [{ name: 'lint', run: `cargo clippy${all} --all-targets${strict}`, why: sign, slow: 'compiles' }]
}
