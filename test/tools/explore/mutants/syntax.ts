import { parseSync } from 'rolldown/utils'

/** A node of the syntax tree of a program. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** A node, and what is around it: the nearest first. */
export interface Place {
  readonly node: Node
  readonly around: readonly Node[]
  /** The text of a node. */
  readonly source: (node: Node) => string
}

/** Returns all nodes of a program, in the order of the text. */
export function placesIn(file: string, text: string): Place[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`)
  const source = ({ start, end }: Node): string => text.slice(start, end)
  const found: Place[] = []
  const walk = (node: Node, around: readonly Node[]): void => {
    found.push({ node, around, source })
    for (const child of childrenOf(node)) walk(child, [node, ...around])
  }
  walk(program as unknown as Node, [])
  return found
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode)
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** The part of a node with that name. Undefined if there is none. */
export function part(node: Node | undefined, ...path: readonly string[]): Node | undefined {
  let at: unknown = node
  for (const name of path) at = isNode(at) ? at[name] : undefined
  return isNode(at) ? at : undefined
}

/** The names that a text mentions. */
export function namesIn(text: string): Set<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g))
}
