/**
 * Finds the small changes of a source that mutation testing tries: each is one mistake that a developer
 * could make. A test should notice it.
 */
import { extname } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** A change of a source. */
export interface Mutant {
  readonly kind: string
  /** Where the replaced text starts and ends. */
  readonly start: number
  readonly end: number
  /** What stands there instead. For `statement` and `property` nothing stands there. */
  readonly replacement: string
  readonly form: 'expression' | 'statement' | 'property'
  /** The start of the innermost statement around it. */
  readonly statement: number
  /** Whether it begins a line of code, so that a parenthesis there would continue the line before. */
  readonly begins: boolean
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const COMPARISONS: Readonly<Record<string, readonly [kind: string, operator: string][]>> = {
  '===': [['negate', '!==']],
  '!==': [['negate', '===']],
  '<': [
    ['boundary', '<='],
    ['negate', '>='],
  ],
  '<=': [
    ['boundary', '<'],
    ['negate', '>'],
  ],
  '>': [
    ['boundary', '>='],
    ['negate', '<='],
  ],
  '>=': [
    ['boundary', '>'],
    ['negate', '<'],
  ],
}
const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '**': '*',
}
/** Methods whose call returns nearly what it is called on. */
const DROPPED = new Set(
  'filter sort toSorted reverse toReversed slice trim trimStart trimEnd toLowerCase toUpperCase'.split(
    ' ',
  ),
)
const SWAPPED: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}
/** What has an expression and a type, and only the expression exists at run time. */
const TYPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

/** Returns all mutants of a source, in the order of their starts. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const { program, errors } = parseSync(file, text, {
    lang: extname(file) === '.tsx' ? 'tsx' : 'ts',
  })
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`)
  const found: Mutant[] = []
  const lines = new Set<number>()
  walk(program as unknown as Node, undefined, 0)
  return found.sort((a, b) => a.start - b.start || b.end - a.end)

  function walk(node: Node, parent: Node | undefined, outer: number): void {
    if (node.type.startsWith('TS') && !TYPED.has(node.type)) return
    const statement = isStatement(node, parent) ? node.start : outer
    if (
      node.type === 'ExpressionStatement' &&
      Array.isArray(parent?.['body'] ?? parent?.['consequent'])
    )
      lines.add(node.start)
    const source = (part: Node): string => text.slice(part.start, part.end)
    const add = (
      kind: string,
      at: Node,
      replacement: string,
      form: Mutant['form'] = 'expression',
    ): void => {
      const { start, end } = at
      if (source(at) === replacement) return
      found.push({ kind, start, end, replacement, form, statement, begins: lines.has(start) })
    }
    if (mayChange(node, parent)) mutate(node, { add, source })
    for (const [key, value] of Object.entries(node)) {
      if (isLeftAlone(node, key)) continue
      for (const child of Array.isArray(value) ? value : [value])
        if (isNode(child)) walk(child, node, statement)
    }
  }
}

interface Tools {
  readonly add: (kind: string, at: Node, replacement: string, form?: Mutant['form']) => void
  readonly source: (part: Node) => string
}

type Mutate = (node: Node, tools: Tools) => void

const BY_TYPE: Readonly<Record<string, Mutate>> = {
  IfStatement: mutateTest,
  ConditionalExpression: mutateTest,
  WhileStatement: (node, { add }) => add('condition false', node['test'] as Node, 'false'),
  BinaryExpression: mutateBinary,
  LogicalExpression: mutateLogical,
  UnaryExpression: (node, { add, source }) => {
    if (node['operator'] === '!') add('negate', node, source(node['argument'] as Node))
  },
  Literal: mutateLiteral,
  TemplateLiteral: (node, { add, source }) => {
    if (!source(node).includes(' ')) add('string', node, "''")
  },
  ExpressionStatement: (node, { add }) => {
    const { type, callee } = node['expression'] as Node
    const isSuper = (callee as Node | undefined)?.type === 'Super'
    if (type !== 'Literal' && !isSuper) add('statement', node, '', 'statement')
  },
  ReturnStatement: (node, { add }) => {
    if (node['argument']) add('undefined', node['argument'] as Node, 'undefined')
  },
  ArrowFunctionExpression: (node, { add }) => {
    if (node['expression'] === true) add('undefined', node['body'] as Node, 'undefined')
  },
  CallExpression: mutateCall,
  ChainExpression: (node, { add, source }) => {
    const text = source(node)
    for (const { index, 0: operator } of text.matchAll(/\?\.(?=([[(])?)/g)) {
      const rest = text.slice(index + operator.length)
      const access = /^[[(]/.test(rest) ? '!' : '!.'
      add('optional', node, text.slice(0, index) + access + rest)
    }
  },
  ObjectExpression: (node, { add }) => {
    for (const property of node['properties'] as Node[]) add('property', property, '', 'property')
  },
}

function mutate(node: Node, tools: Tools): void {
  BY_TYPE[node.type]?.(node, tools)
}

function mutateTest(node: Node, { add }: Tools): void {
  add('condition true', node['test'] as Node, 'true')
  add('condition false', node['test'] as Node, 'false')
}

function mutateBinary(node: Node, { add, source }: Tools): void {
  const operator = node['operator'] as string
  const [left, right] = [node['left'] as Node, node['right'] as Node]
  const changed = (to: string): string => `${source(left)} ${to} ${source(right)}`
  for (const [kind, to] of COMPARISONS[operator] ?? []) add(kind, node, changed(to))
  const isText = [left, right].some(
    (side) => typeof side['value'] === 'string' || side.type === 'TemplateLiteral',
  )
  if (operator in ARITHMETIC && !isText) add('arithmetic', node, changed(ARITHMETIC[operator]!))
}

function mutateLogical(node: Node, { add, source }: Tools): void {
  const operator = node['operator'] as string
  const [left, right] = [source(node['left'] as Node), source(node['right'] as Node)]
  if (operator === '??') {
    add('logical', node, left)
    add('logical', node, right)
  } else {
    add('logical', node, `(${left}) ${operator === '&&' ? '||' : '&&'} (${right})`)
  }
}

/** A text with a space is prose, and is left alone: its wording is a matter of taste. */
function mutateLiteral(node: Node, { add, source }: Tools): void {
  const { value } = node
  if (typeof value === 'number') add('number', node, `${source(node)} + 1`)
  if (typeof value === 'boolean') add('boolean', node, String(!value))
  if (typeof value === 'string' && value !== '' && !value.includes(' ')) add('string', node, "''")
}

function mutateCall(node: Node, { add, source }: Tools): void {
  const callee = node['callee'] as Node
  if (callee.type !== 'MemberExpression' || callee['computed'] === true) return
  const [object, property] = [callee['object'] as Node, callee['property'] as Node]
  if (source(node).includes('?.') || callee['optional'] === true) return
  const name = source(property)
  if (DROPPED.has(name)) add('method', node, source(object))
  if (Object.hasOwn(SWAPPED, name)) {
    const args = source(node).slice(property.end - node.start)
    add('method', node, `${source(object)}.${SWAPPED[name]}${args}`)
  }
}

function isStatement(node: Node, parent: Node | undefined): boolean {
  if (node.type === 'BlockStatement') return false
  if (node.type === 'ArrowFunctionExpression') return node['expression'] === true
  if (node.type === 'VariableDeclaration') return !parent?.type.startsWith('For')
  return node.type.endsWith('Statement') || node.type === 'PropertyDefinition'
}

/** Whether an expression may stand in parentheses where this node is. */
function mayChange(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined) return true
  if (parent.type === 'UnaryExpression') return parent['operator'] !== 'delete'
  if (parent.type === 'JSXAttribute' || parent.type === 'ImportExpression') return false
  if (parent.type.endsWith('CallExpression') || parent.type === 'NewExpression')
    return parent['callee'] !== node
  return true
}

/** Whether a part of a node is no code that runs, or must be as it is. */
function isLeftAlone(node: Node, key: string): boolean {
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return true
  if (key === 'source' && node.type.startsWith('Export')) return true
  if (key === 'key') return node['computed'] !== true
  if (key === 'left') return node.type === 'AssignmentExpression' || node.type.startsWith('ForIn')
  return key === 'argument' && node.type === 'UpdateExpression'
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
