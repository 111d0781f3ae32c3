import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { expect, it } from 'vitest'

/** Whose callbacks meet whatever a peer sends, or a network does. What they throw would end the process. */
const FOLDERS = [
  'webhooks/signature',
  'webhooks/sink',
  'webhooks/sending',
  'emulator/adapters',
  'tools/recording',
  'tools/intercept',
]

const root = join(import.meta.dirname, '..', 'src')

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** What takes a callback that nobody can catch an error of. */
const TAKES_CALLBACK =
  /^(?:on|once|addListener|startTimer|startBeat|debounced|lookUp|createServer)$/

/** Calls that cannot throw: they end something, forget something, or settle a promise. */
const HARMLESS =
  /^(?:resolve|reject|cancelTimer|\S*\.(?:destroy|delete|callback|resume|off)|(?:abort|stop)\.abort|socket\.end|this\.#(?:track|safely))$/

/** Calls whose work cannot throw where they are made: its errors are reported. */
const REPORTED = /^(?:this\.#inBackground|\S*background\.run)$/

/** What makes callbacks. */
const MAKERS = /^(?:this\.#safely|failingWith|\S*background\.callback(?:<.*>)?)\(/

/** The callbacks in a source that could throw, as they are written. */
function bareCallbacks(text: string): string[] {
  const { program } = parseSync('source.ts', text)
  const written = ({ start, end }: Node): string => text.slice(start, end)
  const isHarmless = (node: Node): boolean => {
    if (node.type === 'CallExpression') {
      const { callee, arguments: given } = node as unknown as { callee: Node; arguments: Node[] }
      if (REPORTED.test(written(callee))) return true
      return HARMLESS.test(written(callee)) && !given.some((each) => each.type.includes('Function'))
    }
    if (node.type === 'UnaryExpression') return isHarmless(node['argument'] as Node)
    if (node.type === 'ArrowFunctionExpression') return isHarmless(node['body'] as Node)
    if (node.type !== 'BlockStatement') return false
    return (node['body'] as Node[]).every((each) => {
      return each.type === 'ExpressionStatement' && isHarmless(each['expression'] as Node)
    })
  }
  /** The functions that names are bound to in this source. */
  const bound = new Map<string, Node>()
  /** Made by the helper, harmless, or the name of such a function. */
  const isSafe = (node: Node): boolean => {
    if (node.type !== 'Identifier') return isHarmless(node) || MAKERS.test(written(node))
    const its = bound.get(written(node))
    return HARMLESS.test(written(node)) || (its !== undefined && isSafe(its))
  }
  const found: string[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const node = value as Node
    if (node.type === 'VariableDeclarator' && node['init']) {
      bound.set(written(node['id'] as Node).replace(/:.*/, ''), node['init'] as Node)
    }
    if (node.type === 'CallExpression') {
      const { callee, arguments: given } = node as unknown as { callee: Node; arguments: Node[] }
      const name = written(callee).replace(/^[^]*\./, '')
      const callback = given.at(-1)
      // A function of this source is judged by the call that it makes itself.
      const isOwn = bound.has(written(callee))
      const isAsked = TAKES_CALLBACK.test(name) && given.length > 1 && !isOwn
      if (isAsked && callback && !isSafe(callback)) found.push(written(callback))
    }
    Object.values(node).forEach(visit)
  }
  visit(program)
  return found
}

it('no callback of a socket, a look-up, a stream or a timer can end the process', () => {
  const bare = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => {
      const text = readFileSync(join(root, folder, name), 'utf8')
      return bareCallbacks(text).map((each) => `${folder}/${name}: ${each}`)
    }),
  )
  expect(bare, 'make it with background.callback(what, work)').toEqual([])
})

it.each([
  ["socket.on('data', (chunk) => parse(chunk))", 1],
  ["socket.once('close', () => { socket.destroy(); told.name.length })", 1],
  ['startTimer(5, late)', 1],
  ['lookUp(name, options, (error, address) => done(address.replace(/x/, name)))', 1],
  ["socket.on('error', () => socket.destroy())", 0],
  ["socket.once('close', () => this.#open.delete(socket))", 0],
  ["socket.on('error', reject)", 0],
  ["socket.on('data', background.callback('read', (chunk) => parse(chunk)))", 0],
  ["const late = this.#safely('end', () => parse(1))\nstartTimer(5, late)", 0],
])('the rule finds a callback that could: %s', (text, count) => {
  expect(bareCallbacks(text)).toHaveLength(count)
})
