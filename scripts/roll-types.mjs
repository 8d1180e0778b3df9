/**
 * The types of the public door in one file: what `index.d.ts` exports and everything that these name, taken out of the hundreds of
 * files that the compiler writes. Each declaration keeps its text and its comment; only a name that two files use for different things
 * gets a number.
 *
 *   node scripts/roll-types.mjs FOLDER FILE
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

const [folder, out] = process.argv.slice(2)
const modules = new Map()
/** In the order in which they are named: what is exported comes first. */
const wanted = new Map()
const taken = new Set()
/** Names that no file declares: Node's own, or the language's. */
const foreign = new Set()

const door = readModule(join(folder, 'index.d.ts'))
const exported = [...door.exports].map(([name, target]) => ({ name, declared: want(target, name) }))
// Whatever one declaration names may name others: the map grows while it is walked.
for (const declared of wanted.values()) declared.texts = declared.pieces.map((piece) => rewritten(declared, piece))
for (const name of foreign) if (taken.has(name)) throw new Error(`${name} is declared here and used from elsewhere`)
writeFileSync(out, text())

function text() {
  const from = [...wanted.values()].flatMap((declared) => declared.texts)
  const names = exported.map(({ name, declared }) => {
    const kind = declared.isValue ? '' : 'type '
    return `${kind}${declared.name === name ? name : `${declared.name} as ${name}`}`
  })
  return `${door.comment}${from.join('\n')}\nexport { ${names.join(', ')} };\n`
}

/** What a file declares, imports and exports, by name. */
function readModule(file) {
  const known = modules.get(file)
  if (known !== undefined) return known
  const source = readFileSync(file, 'utf8')
  const module = { file, source, declares: new Map(), imports: new Map(), exports: new Map(), comment: '' }
  modules.set(file, module)
  let end = 0
  for (const node of parseAst(source, { lang: 'dts' }, file).body) {
    readStatement(module, node, end)
    end = node.end
  }
  return module
}

function readStatement(module, node, after) {
  const target = node.source == null ? null : node.source.value
  switch (node.type) {
    case 'ImportDeclaration':
      for (const one of node.specifiers) {
        if (one.type !== 'ImportSpecifier') throw new Error(`${module.file}: only named imports can be rolled up`)
        module.imports.set(one.local.name, { from: target, name: one.imported.name })
      }
      return
    case 'ExportNamedDeclaration':
      if (node.declaration !== null) return declare(module, node.declaration, after)
      if (module.exports.size === 0) module.comment = module.source.slice(after, node.start)
      for (const { local, exported: as } of node.specifiers) {
        const at = target === null ? { file: module.file } : { file: join(dirname(module.file), dts(target)) }
        module.exports.set(as.name, { ...at, name: local.name })
      }
      return
    default:
      declare(module, node, after)
  }
}

function declare(module, node, after) {
  const ids = node.type === 'VariableDeclaration' ? node.declarations.map(({ id }) => id) : [node.id]
  if (ids.length !== 1 || ids[0]?.type !== 'Identifier')
    throw new Error(`${module.file}: ${node.type} cannot be rolled up`)
  const [{ name }] = ids
  const isValue = !['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'].includes(node.type)
  const known = module.declares.get(name) ?? { module, of: name, pieces: [], isValue }
  known.pieces.push({ comment: module.source.slice(after, node.start).replace(/\bexport\s*$/, ''), node })
  module.declares.set(name, known)
}

/** The declaration behind a name of a file, under the name that it has in the one file. */
function want({ file, name }, as = name) {
  const module = readModule(file)
  const imported = module.imports.get(name)
  if (imported !== undefined) return wantImport(module, imported)
  const passedOn = module.exports.get(name)
  const declared = module.declares.get(name)
  if (declared === undefined && passedOn !== undefined) return want(passedOn, as)
  if (declared === undefined) throw new Error(`${file} declares no ${name}`)
  return enter(`${file} ${name}`, as, declared)
}

function wantImport(module, { from, name }) {
  if (from.startsWith('.')) return want({ file: join(dirname(module.file), dts(from)), name })
  return enter(`${from} ${name}`, name, { module, of: name, pieces: [], isValue: false, from })
}

function enter(key, as, declared) {
  const known = wanted.get(key)
  if (known !== undefined) return known
  let name = as
  for (let n = 2; taken.has(name); n += 1) name = `${as}${n}`
  taken.add(name)
  const entered = { ...declared, name }
  if (entered.from !== undefined)
    entered.pieces = [{ whole: `import type { ${declared.of} as ${name} } from '${entered.from}';` }]
  wanted.set(key, entered)
  return entered
}

/** Its text, with every name that means something else in the one file replaced. */
function rewritten({ module, of, name }, { whole, comment, node }) {
  if (whole !== undefined) return whole
  const changes = []
  walk(node, new Set(), (from, end, target) => {
    const told = target.name === of && target.file === module.file ? name : want(target).name
    changes.push({ from, end, told })
  })
  let done = ''
  let at = node.start
  for (const { from, end, told } of changes.toSorted((a, b) => a.from - b.from)) {
    done += module.source.slice(at, from) + told
    at = end
  }
  const body = done + module.source.slice(at, node.end)
  const isDeclared = body.startsWith('declare ') || /^(?:interface|type) /.test(body)
  return `${comment.trimStart()}${isDeclared ? '' : 'declare '}${body}`

  /** Tells of each identifier that names a declaration of the file or an import. `bound`: type parameters around it. */
  function walk(one, bound, tell) {
    if (Array.isArray(one)) return one.forEach((each) => walk(each, bound, tell))
    if (one === null || typeof one !== 'object' || typeof one.type !== 'string') return
    if (one.type === 'Identifier') {
      const known = module.declares.has(one.name) || module.imports.has(one.name)
      const end = one.start + one.name.length
      if (!known && !bound.has(one.name) && /^[A-Z]/.test(one.name)) foreign.add(one.name)
      if (known && !bound.has(one.name)) tell(one.start, end, { file: module.file, name: one.name })
      return walk(one.typeAnnotation, bound, tell)
    }
    if (one.type === 'TSImportType' && one.source.value.startsWith('.')) {
      const file = join(dirname(module.file), dts(one.source.value))
      tell(one.start, one.qualifier.end, { file, name: one.qualifier.name })
      return walk(one.typeArguments, bound, tell)
    }
    const own = new Set([...bound, ...parameters(one)])
    for (const [key, value] of Object.entries(one)) if (!isName(one, key)) walk(value, own, tell)
  }
}

/** Names that a node itself binds for what is inside it. */
function parameters(node) {
  const params = node.typeParameters?.params ?? []
  const mapped = node.type === 'TSMappedType' ? [node.key] : []
  const inferred = node.type === 'TSConditionalType' ? inferredIn(node.extendsType) : []
  return [...params.map(({ name }) => name), ...mapped, ...inferred].map((name) => name.name ?? name)
}

function inferredIn(node) {
  if (node === null || typeof node !== 'object') return []
  if (node.type === 'TSInferType') return [node.typeParameter.name]
  return Object.values(node).flatMap(inferredIn)
}

/** Whether this part of a node is a name of its own and refers to nothing. */
function isName(node, key) {
  switch (node.type) {
    case 'TSPropertySignature':
    case 'TSMethodSignature':
    case 'PropertyDefinition':
    case 'MethodDefinition':
    case 'TSAbstractMethodDefinition':
    case 'TSAbstractPropertyDefinition':
    case 'Property':
      return key === 'key' && !node.computed
    case 'TSQualifiedName':
      return key === 'right'
    case 'MemberExpression':
      return key === 'property' && !node.computed
    case 'TSTypeParameter':
      return key === 'name'
    case 'TSMappedType':
      return key === 'key'
    case 'TSNamedTupleMember':
      return key === 'label'
    case 'TSTypePredicate':
      return key === 'parameterName'
    default:
      return false
  }
}

function dts(path) {
  return path.replace(/\.[jt]s$/, '.d.ts')
}
