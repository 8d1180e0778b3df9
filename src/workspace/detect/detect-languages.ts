/** Detects each language in a folder: its manifest, its package manager and its commands. */
import { detectDeno } from './detect-deno.ts'
import { openProjectFiles, type ProjectFiles, type FoundGate, type DetectedLanguage } from './project-files.ts'
import { detectGo } from './detect-go.ts'
import { detectJavascript } from './detect-javascript.ts'
import { detectPython } from './detect-python.ts'
import { detectRust } from './detect-rust.ts'
import * as read from '../../core/text/json.ts'

export function detectLanguages(root: string): DetectedLanguage[] {
  const files = openProjectFiles(root)
  const readers = [detectJavascript, detectDeno, detectPython, ruby, php, elixir, dotnet, java, detectRust, detectGo]
  return readers.map((reader) => reader(files)).filter((kind) => kind !== null)
}

// Languages with one usual tool

function java(files: ProjectFiles): DetectedLanguage | null {
  const gradle = files.first('build.gradle', 'build.gradle.kts')
  if (files.has('pom.xml')) {
    const maven = files.has('mvnw') ? './mvnw' : 'mvn'
    const gates: FoundGate[] = [{ name: 'test', run: `${maven} -q test`, why: 'there is a pom.xml', slow: 'compiles' }]
    const name = /<artifactId>([^<]+)</.exec(files.text('pom.xml').replace(/<parent>.*?<\/parent>/s, ''))?.[1] ?? null
    return { type: 'java', name, manager: 'maven', gates, build: `${maven} -q package`, start: null }
  }
  if (gradle === undefined) return null
  const tool = files.has('gradlew') ? './gradlew' : 'gradle'
  const gates: FoundGate[] = [{ name: 'test', run: `${tool} test`, why: `there is a ${gradle}`, slow: 'compiles' }]
  return { type: 'java', name: null, manager: 'gradle', gates, build: `${tool} build`, start: null }
}

function ruby(files: ProjectFiles): DetectedLanguage | null {
  if (!files.has('Gemfile') && !files.has('Rakefile')) return null
  const prefix = files.has('Gemfile') ? 'bundle exec ' : ''
  const rspec = { name: 'test', run: `${prefix}rspec`, why: 'there is an .rspec or a spec folder' }
  const rake = { name: 'test', run: `${prefix}rake test`, why: 'the Rakefile has a test task' }
  const hasRspec = files.has('.rspec') || files.has('spec/spec_helper.rb')
  const hasRake = /TestTask|task :?test|minitest/i.test(files.text('Rakefile'))
  const isLinted = files.has('.rubocop.yml') && /rubocop/.test(files.text('Gemfile'))
  const gates = [
    ...(hasRspec ? [rspec] : hasRake ? [rake] : []),
    ...(isLinted ? [{ name: 'lint', run: `${prefix}rubocop`, why: 'there is a .rubocop.yml' }] : []),
  ]
  return { type: 'ruby', name: null, manager: 'bundler', gates, build: null, start: null }
}

function php(files: ProjectFiles): DetectedLanguage | null {
  if (!files.has('composer.json')) return null
  const json = read.jsonOrNull(files.text('composer.json'))
  const hasScript = read.ownField(read.ownField(json, 'scripts'), 'test') !== null
  const config = files.first('phpunit.xml', 'phpunit.xml.dist')
  const script = { name: 'test', run: 'composer test', why: 'composer.json has the script "test"' }
  const phpunit = { name: 'test', run: 'vendor/bin/phpunit', why: `there is a ${config}` }
  const phpstan = files.first('phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon')
  const gates = [
    ...(hasScript ? [script] : config === undefined ? [] : [phpunit]),
    ...(phpstan === undefined
      ? []
      : [{ name: 'lint', run: 'vendor/bin/phpstan analyse', why: `there is a ${phpstan}` }]),
  ]
  return {
    type: 'php',
    name: read.asText(read.ownField(json, 'name')),
    manager: 'composer',
    gates,
    build: null,
    start: null,
  }
}

function elixir(files: ProjectFiles): DetectedLanguage | null {
  if (!files.has('mix.exs')) return null
  const name = /app:\s*:(\w+)/.exec(files.text('mix.exs'))?.[1] ?? null
  const gates = [
    { name: 'test', run: 'mix test', why: 'there is a mix.exs' },
    ...(files.has('.credo.exs') && /:credo\b/.test(files.text('mix.exs'))
      ? [{ name: 'lint', run: 'mix credo', why: 'there is a .credo.exs' }]
      : []),
  ]
  return { type: 'elixir', name, manager: 'mix', gates, build: 'mix compile', start: 'mix run' }
}

function dotnet(files: ProjectFiles): DetectedLanguage | null {
  const project = files.names.find((name) => /\.(sln|slnx|csproj|fsproj)$/.test(name))
  if (project === undefined) return null
  const gates: FoundGate[] = [{ name: 'test', run: 'dotnet test', why: `there is ${project}`, slow: 'compiles' }]
  const name = project.replace(/\.\w+$/, '')
  return { type: 'dotnet', name, manager: 'dotnet', gates, build: 'dotnet build', start: 'dotnet run' }
}
