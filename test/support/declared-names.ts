import { extname } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** A name that a source gives to something. */
export interface DeclaredName {
  readonly name: string
  /** In words: `read the file` for `readTheFile`, `MOST_PAGES` is `most pages`. */
  readonly words: string
  readonly kind: 'type' | 'function' | 'component' | 'variable' | 'property'
}

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

const TYPES = new Set([
  'ClassDeclaration',
  'ClassExpression',
  'TSEnumDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
])
const PROPERTIES = new Set([
  'AccessorProperty',
  'PropertyDefinition',
  'TSPropertySignature',
  'TSMethodSignature',
  'MethodDefinition',
  'TSAbstractMethodDefinition',
  'TSAbstractPropertyDefinition',
])
const FUNCTIONS = new Set([
  'ArrowFunctionExpression',
  'FunctionDeclaration',
  'FunctionExpression',
  'TSDeclareFunction',
])

/**
 * The names that a source declares: of types, functions, variables, parameters and properties. Names of
 * others that it only uses, quoted names and texts are left out.
 */
export function declaredNamesIn(file: string, text: string): DeclaredName[] {
  const { program, errors } = parseSync(file, text, {
    lang: extname(file) === '.tsx' ? 'tsx' : 'ts',
  })
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`)
  const names: DeclaredName[] = []
  const add = (node: unknown, kind: DeclaredName['kind']): void => {
    const { type, name } = node as { type?: string; name?: string }
    if (type !== 'Identifier' && type !== 'PrivateIdentifier') return
    const isComponent = kind === 'function' && /^[A-Z]/.test(name!)
    names.push({ name: name!, words: wordsOf(name!), kind: isComponent ? 'component' : kind })
  }
  visit(program as unknown as Node, (node) => {
    if (TYPES.has(node.type)) add(node['id'], 'type')
    else if (PROPERTIES.has(node.type)) {
      if (node['computed'] !== true) add(node['key'], kindOf(node, 'property'))
    } else if (node.type === 'ObjectExpression') {
      for (const each of node['properties'] as Node[]) {
        // Of `{ name }`, the name is that of the variable.
        if (each['computed'] === false && each['shorthand'] === false)
          add(each['key'], kindOf(each, 'property'))
      }
    } else if (node.type === 'VariableDeclarator') {
      for (const name of namesBoundBy(node['id'])) add(name, kindOf(node, 'variable'))
    } else if (node.type === 'CatchClause') {
      for (const name of namesBoundBy(node['param'])) add(name, 'variable')
    } else if (node.type === 'ImportSpecifier') {
      const { imported, local } = node as unknown as Record<'imported' | 'local', { name?: string }>
      if (imported.name !== local.name) add(local, 'variable')
    }
    if (FUNCTIONS.has(node.type) && node['id']) add(node['id'], 'function')
    for (const parameter of parametersOf(node)) {
      for (const name of namesBoundBy(parameter)) add(name, 'variable')
    }
  })
  return names
}

/** `readTheFile` is `read the file`. */
export function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_$]+/g, ' ')
    .trim()
    .toLowerCase()
}

/** What a property or a variable is, by its value. */
function kindOf(node: Node, otherwise: 'variable' | 'property'): DeclaredName['kind'] {
  if (node['kind'] === 'get' || node['kind'] === 'set') return otherwise
  const { type } = (node['value'] ?? node['init'] ?? {}) as { type?: string }
  return node.type === 'TSMethodSignature' || FUNCTIONS.has(type ?? '') ? 'function' : otherwise
}

function parametersOf({ params }: Node): unknown[] {
  return Array.isArray(params) ? params : []
}

/** The identifiers in a pattern such as `{ a, b: [c = 1] }`. */
function namesBoundBy(pattern: unknown): unknown[] {
  const node = pattern as Node | null
  if (!node) return []
  const { type, properties, elements, left, argument, parameter } = node
  if (type === 'Identifier') return [node]
  if (type === 'Property') return namesBoundBy(node['value'])
  if (Array.isArray(properties)) return properties.flatMap(namesBoundBy)
  if (Array.isArray(elements)) return elements.flatMap(namesBoundBy)
  return namesBoundBy(left ?? argument ?? parameter)
}

function visit(node: Node, look: (node: Node) => void): void {
  look(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof (child as Node | null)?.type === 'string') visit(child as Node, look)
    }
  }
}
