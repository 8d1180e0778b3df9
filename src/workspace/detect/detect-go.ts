/** The gates of a Go module, or of the modules of a go.work. */
import { basename } from 'node:path'
import type { ProjectFiles, FoundGate, DetectedLanguage } from './project-files.ts'

export function detectGo(files: ProjectFiles): DetectedLanguage | null {
  const manifest = files.first('go.work', 'go.mod')
  if (manifest === undefined) return null
  const module = /^module\s+(\S+)/m.exec(files.text('go.mod'))?.[1]
  const packages = manifest === 'go.work' ? workspacePackages(files.text('go.work')) : './...'
  const lint = files.names.find((name) => /^\.golangci\.(?:ya?ml|toml|json)$/.test(name))
  const gates: FoundGate[] = [
    { name: 'test', run: `go test ${packages}`, why: `there is a ${manifest}` },
    { name: 'vet', run: `go vet ${packages}`, why: `there is a ${manifest}` },
    ...(lint === undefined ? [] : [{ name: 'lint', run: `golangci-lint run`, why: `there is a ${lint}` }]),
  ]
  return {
    type: 'go',
    name: module === undefined ? null : basename(module),
    manager: 'go',
    gates,
    build: `go build ${packages}`,
    start: files.has('main.go') ? 'go run .' : null,
  }
}

/** `./...` at the top of a workspace means the module there, which may not exist; so each module is named. */
function workspacePackages(text: string): string {
  const block = /^use\s*\(([\s\S]*?)\)/m.exec(text)?.[1] ?? ''
  const single = [...text.matchAll(/^use\s+([^\s(]+)/gm)].map(([, folder]) => folder ?? '')
  const folders = [...block.split('\n').map((line) => line.replace(/\/\/.*$/, '').trim()), ...single]
    .map((folder) => folder.replace(/^["']|["']$/g, '').replace(/\/+$/, ''))
    .filter((folder) => /^\.{0,2}[\w./-]*$/.test(folder) && folder !== '')
  if (folders.length === 0) return './...'
  return folders.map((folder) => (folder === '.' ? './...' : `${folder}/...`)).join(' ')
}
