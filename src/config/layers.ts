/**
 * Reads every source of settings, strongest first: flags, environment, the project's files, the user's file. A layer only collects
 * values and their origins; `resolve.ts` decides what they mean.
 */
import { isAbsolute, join, resolve } from 'node:path'
import { exists } from '../system/files/files.ts'
import { resolvesInto, gitRootOf } from '../system/files/links.ts'
import { readTomlLayer } from './toml-layer.ts'
import { emptyLayer, recordRefusedSetting, type Layer, type RawSetting } from './layer.ts'
import { unsupportedEnvVariables } from './unsupported.ts'
import { envVariableOf, isGroup, nearestSetting, SETTING_KEYS, settingOf } from './settings.ts'

export interface SettingsSources {
  /** The project's folder. */
  root: string
  /** By long name (`calls`, `allowed-tools` or `allowedTools`) or by key; flags that are no settings are ignored. */
  flags: Record<string, string | boolean | undefined>
  env: Record<string, string | undefined>
  home: string
}

/** All layers, the strongest first. Missing files give no layer. */
export async function readLayers(sources: SettingsSources): Promise<Layer[]> {
  const { root, env } = sources
  const ours = readTomlLayer('.ralph.toml', join(root, '.ralph.toml'), 'project')
  const old = OLD_FILES.some((name) => exists(join(root, name))) ? await oldLayers(sources) : []
  const files = [ours, ...old, userLayer(sources)].filter((layer) => layer !== null)
  const isOld = ours === null || old.some(({ name }) => name.endsWith('.ralphrc'))
  return [flagLayer(sources.flags), environmentLayer(env, { isOld }), ...files]
}

export const OLD_FILES = ['.ralph/config.json', '.ralphrc', '.ralph/.ralphrc'] as const

async function oldLayers({ root, env }: SettingsSources): Promise<Layer[]> {
  const { readConfigJsonLayer, readRalphrcLayer } = await import('./legacy-layers.ts')
  const layers = OLD_FILES.map((name) =>
    name === '.ralph/config.json'
      ? readConfigJsonLayer(name, join(root, name))
      : readRalphrcLayer(name, join(root, name), env),
  )
  return layers.filter((layer) => layer !== null)
}

/** The user's own settings for all projects. Programs in them start without a question, so no repository may provide this file. */
function userLayer(sources: SettingsSources): Layer | null {
  const file = userSettingsFile(sources)
  if (file === null) return null
  const { path, name } = file
  if (!resolvesInto(path, gitRootOf(resolve(sources.root)) ?? sources.root)) return readTomlLayer(name, path, 'user')
  if (!exists(path)) return null
  const remark = `${path} is inside the repository and may come from somebody else, so Ralph ignores it`
  return { ...emptyLayer(name, 'user'), remarks: [remark] }
}

/** A relative folder would depend on the current folder, so it counts as not set: null. */
export function userSettingsFile({
  env,
  home,
}: Pick<SettingsSources, 'env' | 'home'>): { path: string; name: string } | null {
  const chosen = env['XDG_CONFIG_HOME'] ?? ''
  const folder = isAbsolute(chosen) ? chosen : isAbsolute(home) ? join(home, '.config') : null
  if (folder === null) return null
  const path = join(folder, 'ralph', 'config.toml')
  return { path, name: path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path }
}

/**
 * A switch counts only if it was given: true for a plain one, false for a negated one. So it does not matter whether the parser of the
 * command line fills in the others.
 */
function flagLayer(flags: SettingsSources['flags']): Layer {
  const layer = emptyLayer('flags', 'flag')
  const given = new Map(Object.entries(flags).map(([name, value]) => [kebab(name), value]))
  for (const key of SETTING_KEYS) {
    const { flag } = settingOf(key)
    const direct = flags[key]
    const value = flag === undefined ? undefined : given.get(flag.long)
    if (direct !== undefined) layer.said.set(key, { raw: direct, as: 'words', origin: { from: 'flag', flag: key } })
    else if (flag?.negated === true && (value === false || given.get(`no-${flag.long}`) === true))
      layer.said.set(key, { raw: false, as: 'words', origin: { from: 'flag', flag: `no-${flag.long}` } })
    else if (flag !== undefined && flag.negated !== true && value !== undefined && value !== false)
      layer.said.set(key, { raw: value, as: 'words', origin: { from: 'flag', flag: flag.long } })
  }
  return layer
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** An empty variable counts as not set, as in the old tools. `isOld`: the project belongs to an old tool, at least in part. */
function environmentLayer(env: SettingsSources['env'], { isOld }: { isOld: boolean }): Layer {
  const layer = emptyLayer('environment', 'environment')
  const isInside = (env['RALPH_INSIDE'] ?? '') !== ''
  const isSet = (name: string): boolean => (env[name] ?? '') !== '' && !(isInside && EXPORTED.has(name))
  const said = (name: string): RawSetting => ({
    raw: env[name],
    as: 'words',
    origin: { from: 'environment', name },
  })
  const ours = Object.keys(env).filter((name) => name.startsWith(OURS))
  const own = new Map(ours.filter((name) => isSet(name) && isExact(name)).map((name) => [keyNamed(name), name]))
  for (const key of SETTING_KEYS) {
    const { old, env: short } = settingOf(key)
    const name = own.get(key) ?? short?.find(isSet) ?? old?.find(isSet)
    if (name !== undefined) layer.said.set(key, said(name))
  }
  for (const name of ours) layer.remarks.push(...misspelt(name))
  for (const { name, old } of unsupportedEnvVariables(env, { isOld }))
    recordRefusedSetting(layer, { from: 'environment', name }, { ...old, out: `Unset it: unset ${name}` })
  return layer
}

const OURS = 'RALPH_'

/** Ralph sets these for its agents; they must not affect a Ralph that an agent starts. */
const EXPORTED: ReadonlySet<string> = new Set(['RALPH_MODEL'])

/** The setting that an environment variable would name: `RALPH_QUOTA_CALLS_PER_HOUR` is `quota.calls_per_hour`. */
function keyNamed(name: string): string {
  return name.slice(OURS.length).replace('_', '.').toLowerCase()
}

function isExact(name: string): boolean {
  return envVariableOf(keyNamed(name)) === name
}

/** `RALPH_QUOTA_CALL_PER_HOUR` would silently do nothing; other RALPH_ names may belong to other programs. */
function misspelt(name: string): string[] {
  const group = /^RALPH_([A-Z]+)_/.exec(name)?.[1]
  if (group === undefined || !isGroup(group.toLowerCase())) return []
  const near = SETTING_KEYS.some((key) => envVariableOf(key) === name) ? null : nearestSetting(keyNamed(name))
  return near === null ? [] : [`environment ${name} is not a setting; did you mean ${envVariableOf(near)}?`]
}
