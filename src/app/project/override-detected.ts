/** Applies what a user says about the project instead of what was detected: its name, its language and the commands. */
import { RalphError } from '../../core/error.ts'
import { suggest } from '../../core/text/suggest.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import type { DetectedProject } from '../../workspace/detect/detect-project.ts'

type Commands = Pick<DetectedProject, 'packageManager' | 'testCommand' | 'buildCommand' | 'runCommand'>

/** For a folder without any file of that language yet. */
const USUAL: Record<DetectedProject['type'], Commands> = {
  javascript: usual('npm', 'npm test', null, 'npm start'),
  typescript: usual('npm', 'npm test', 'npm run build', 'npm start'),
  python: usual('pip', 'pytest', null, null),
  rust: usual('cargo', 'cargo test', 'cargo build', 'cargo run'),
  go: usual('go', 'go test ./...', 'go build ./...', 'go run .'),
  java: usual('maven', 'mvn test', 'mvn package', null),
  ruby: usual('bundler', 'bundle exec rake test', null, null),
  php: usual('composer', 'composer test', null, null),
  elixir: usual('mix', 'mix test', 'mix compile', 'mix run'),
  dotnet: usual('dotnet', 'dotnet test', 'dotnet build', 'dotnet run'),
  generic: usual(null, null, null, null),
}

function usual(
  packageManager: string | null,
  testCommand: string | null,
  buildCommand: string | null,
  runCommand: string | null,
): Commands {
  return { packageManager, testCommand, buildCommand, runCommand }
}

export function overrideDetectedProject(
  project: DetectedProject,
  said: { name: string | null; type: string | null },
): DetectedProject {
  const name = oneLine(said.name ?? project.name, 100) || 'project'
  if (said.type === null || said.type === project.type) return { ...project, name }
  const type = typeOf(said.type)
  return { ...USUAL[type], name, type }
}

function typeOf(word: string): DetectedProject['type'] {
  const types = Object.keys(USUAL) as DetectedProject['type'][]
  const found = types.find((type) => type === word.toLowerCase())
  if (found !== undefined) return found
  const meant = suggest(word, types)
  throw new RalphError('usage', `there is no project type "${word}"`, {
    hint: `${meant === null ? '' : `Did you mean "${meant}"? `}Known: ${types.join(', ')}`,
  })
}
