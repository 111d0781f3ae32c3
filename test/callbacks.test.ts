import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { expect, it } from 'vitest'

/** Files whose callbacks are safe although they are bare, and why. */
const EXCEPT: Readonly<Record<string, string>> = {
  'base/clock/wall.ts': 'It makes the timers. What they call is judged where they are started.',
  'base/clock/lookout.ts': 'It calls what it is given, which is judged where it is given.',
  'base/clock/clock.ts': 'A scheduled task tells its own error to whoever owns the clock.',
}

const root = join(import.meta.dirname, '..', 'src')

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** What takes a callback that nobody can catch an error of, as it is called. */
const TAKES_CALLBACK =
  /^(?:watch|(?:[^]*\.)?(?:on|once|addListener|addEventListener|startTimer|startBeat|debounced|lookUp|createServer|Lookout))$/

/** The events of collections of records happen within a call, which gets the error. */
const WITHIN_A_CALL = /\.hooks\.on$/

/** Calls that cannot throw: they end something, forget something, or settle a promise. */
const HARMLESS =
  /^(?:resolve|reject|leave|cancelTimer|\S*\.(?:abort|destroy|delete|callback|resume|off)|(?:socket|messages)\.end|(?:child|this)\.signal|this\.#track)$/

/** Calls whose work cannot throw where they are made: its errors are reported. */
const REPORTED = /^(?:this\.#inBackground|\S*background\.run)$/

/** What makes callbacks. */
const MAKERS = /^(?:failingWith|debounced|\S*background\.callback(?:<.*>)?)\(/

interface Call {
  readonly callee: Node
  readonly arguments: readonly Node[]
}

/** The callbacks in a source that could throw, as they are written. */
function bareCallbacks(text: string): string[] {
  const { program } = parseSync('source.ts', text)
  const written = ({ start, end }: Node): string => text.slice(start, end)
  const callsNothing = (node: Node): boolean => {
    return !/(?<!\bnew \w*Error)\(/.test(written(node))
  }
  /** The functions that names are bound to in this source. */
  const bound = new Map<string, Node>()

  /** The callback that a call takes. Undefined if it takes none that could end the process. */
  const callbackOf = ({ callee, arguments: given }: Call): Node | undefined => {
    const name = written(callee)
    // A function of this source is judged by the call that it makes itself.
    if (!TAKES_CALLBACK.test(name) || WITHIN_A_CALL.test(name) || bound.has(name)) return undefined
    const callback = name.endsWith('addEventListener') ? given[1] : given.at(-1)
    return given.length > 1 && callback?.type !== 'ObjectExpression' ? callback : undefined
  }

  const isHarmless = (node: Node): boolean => {
    const its = (key: string): Node => node[key] as Node
    switch (node.type) {
      case 'ArrowFunctionExpression':
        return isHarmless(its('body'))
      case 'BlockStatement':
        return (node['body'] as Node[]).every(isHarmless)
      case 'ForOfStatement':
        return callsNothing(its('right')) && isHarmless(its('body'))
      case 'IfStatement':
        return callsNothing(its('test')) && isHarmless(its('consequent')) && !node['alternate']
      case 'ExpressionStatement':
        return isHarmless(its('expression'))
      case 'UnaryExpression':
        return isHarmless(its('argument'))
      case 'UpdateExpression':
        return true
      case 'AssignmentExpression':
        return callsNothing(its('right'))
      case 'CallExpression': {
        const call = node as unknown as Call
        if (REPORTED.test(written(call.callee))) return true
        return isSafe(call.callee) && call.arguments.every(callsNothing)
      }
      default:
        return false
    }
  }

  /** Made by the helper, harmless, or the name of such a function. */
  const isSafe = (node: Node): boolean => {
    const name = written(node)
    if (HARMLESS.test(name) || MAKERS.test(name)) return true
    const its = bound.get(name)
    if (!its) return isHarmless(node)
    // One that calls itself would be judged for ever.
    bound.delete(name)
    const safe = isSafe(its)
    bound.set(name, its)
    return safe
  }

  const found: string[] = []
  const visit = (value: unknown, see: (node: Node) => void): void => {
    if (typeof value !== 'object' || value === null) return
    if ('type' in value) see(value as Node)
    for (const each of Object.values(value)) visit(each, see)
  }
  const bind = (node: Node): void => {
    const [name, value, field = ''] = {
      VariableDeclarator: ['id', 'init'],
      AssignmentExpression: ['left', 'right'],
      PropertyDefinition: ['key', 'value', 'this.'],
    }[node.type] ?? ['', '']
    if (!node[name!] || !node[value!]) return
    bound.set(field + written(node[name!] as Node).replace(/:[^]*/, ''), node[value!] as Node)
  }
  visit(program, bind)
  visit(program, (node) => {
    // The nearest one before, if a name is bound twice.
    bind(node)
    if (!/^(?:Call|New)Expression$/.test(node.type)) return
    const callback = callbackOf(node as unknown as Call)
    if (callback && !isSafe(callback)) found.push(written(callback))
  })
  return found
}

/** All that can run in the process of a user. The dashboard runs in a browser. */
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => {
  return name.endsWith('.ts') && !name.startsWith('dashboard')
})

const bareIn = (name: string): string[] => bareCallbacks(readFileSync(join(root, name), 'utf8'))

it('no callback of a socket, a stream, a timer, a watcher or a process can end the process', () => {
  const bare = files
    .filter((name) => !(name in EXCEPT))
    .flatMap((name) => bareIn(name).map((each) => `${name}: ${each}`))
  expect(bare, 'make it with background.callback(what, work), or failingWith').toEqual([])
})

it.each(Object.keys(EXCEPT))('%s is still an exception', (name) => {
  expect(bareIn(name)).not.toEqual([])
})

it.each([
  ["socket.on('data', (chunk) => parse(chunk))", 1],
  ["socket.once('close', () => { socket.destroy(); told.name.length })", 1],
  ['startTimer(5, late)', 1],
  ['lookUp(name, options, (error, address) => done(address.replace(/x/, name)))', 1],
  ["socket.on('error', () => socket.destroy())", 0],
  ["socket.once('close', () => this.#open.delete(socket))", 0],
  ["socket.on('error', reject)", 0],
  ["socket.on('data', (chunk) => resolve(parse(chunk)))", 1],
  ["signal.addEventListener('abort', () => leaveAll(), { once: true })", 1],
  ["process.on('SIGINT', stop)", 1],
  ["createInterface({ input }).on('line', (line) => read(line))", 1],
  ['watch(folder, (_event, name) => changed(name))', 1],
  ['new Lookout(world, () => miss(world))', 1],
  ['const next = () => next()\nstartTimer(5, next)', 1],
  ["const stop = () => { late = true; end.abort() }\nprocess.on('SIGINT', stop)", 0],
  ['watch(folder, (_event, name) => { if (name === file) resolve() })', 0],
  [
    "const end = failingWith(reject, () => parse(1))\nsignal.addEventListener('abort', () => end('late'))",
    0,
  ],
  ["socket.on('data', background.callback('read', (chunk) => parse(chunk)))", 0],
  ["const late = background.callback('end', () => parse(1))\nstartTimer(5, late)", 0],
])('the rule finds a callback that could: %s', (text, count) => {
  expect(bareCallbacks(text)).toHaveLength(count)
})
