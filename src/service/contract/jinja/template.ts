import { parse, tokenize } from '@huggingface/jinja'
import { getAttribute, getItem, getSlice } from './access.js'
import { FILTERS, functionIn, namesAt, TESTS } from './builtins.js'
import type { Node } from './nodes.js'
import * as py from './python.js'
import type { Callable, Value } from './python.js'
import { checkTags, refuse, TAG } from './tags.js'
import { COMPARISONS, OPERATORS } from './operators.js'
import { print } from './write.js'

/** The variables of a part of a template. Those of the parts around it are its prototype. */
type Scope = Record<string, Value>

/** How a statement ended, if it ends the statements around it. */
type End = 'Break' | 'Continue' | void

/**
 * A template in the language of Jinja2, set up as the library of chat templates does it. What it writes is what Jinja2
 * writes: all else is refused when it is read, or fails when it is rendered.
 */
export class Template {
  readonly source: string
  #program: readonly Node[] | undefined

  constructor(source: string) {
    this.source = source.replaceAll(/\r\n?/g, '\n')
  }

  /** @throws {py.TemplateError} When it is not valid, or has something that is not supported. */
  read(): readonly Node[] {
    this.#program ??= checked(this.source)
    return this.#program
  }

  /**
   * @param variables - Values of JSON, or values that were read without loss.
   * @param now - For `strftime_now`, in milliseconds.
   * @throws {py.TemplateError} What the template raises.
   */
  render(variables: Readonly<Record<string, unknown>>, now: number): string {
    const scope = Object.assign(Object.create(null) as Scope, namesAt(now))
    for (const [name, value] of Object.entries(variables)) {
      if (value !== undefined) scope[name] = py.fromJson(value)
    }
    const program = this.read()
    try {
      return rendered(program, scope)
    } catch (error) {
      // Its macros call each other without an end, or it writes more than a text can hold.
      if (error instanceof RangeError) return py.raise('it writes too much, or never ends')
      throw error
    }
  }
}

const inside = (scope: Scope): Scope => Object.create(scope) as Scope

function parsed(source: string): readonly Node[] {
  // Jinja gives it a scope of its own. See `FilterStatement`.
  const named = source.replaceAll(
    /(\{%[-+]?\s*)(end)?generation\b/g,
    (_, start: string, end: unknown) => {
      return `${start}${end ? 'endfilter' : 'filter generation'}`
    },
  )
  const tokens = tokenize(named, { trim_blocks: true, lstrip_blocks: true })
  return parse(tokens).body as readonly Node[]
}

/** The library does not say where an error is: it is in the first tag up to which there is the same error. */
function checked(source: string): readonly Node[] {
  checkTags(source)
  try {
    return parsed(source)
  } catch (error) {
    const { message } = error as Error
    const wrong = [...source.matchAll(TAG)].find(({ 0: tag, index }) => {
      try {
        parsed(source.slice(0, index + tag.length))
        return false
      } catch (other) {
        return (other as Error).message === message
      }
    })
    const problem = error instanceof TypeError ? 'the end of this block is missing' : message
    return refuse(source, wrong?.index ?? source.length, problem)
  }
}

/** Writes what statements write, until one of them ends a loop. */
function run(nodes: readonly Node[], scope: Scope, out: string[]): End {
  for (const node of nodes) {
    const end = runOne(node, scope, out)
    if (end !== undefined) return end
  }
}

/** Runs a statement, or writes the value of an expression. */
function runOne<T extends Node['type']>(node: Node<T>, scope: Scope, out: string[]): End {
  const statement = STATEMENTS[node.type]
  if (statement !== undefined) return statement(node, scope, out)
  out.push(print(evaluate(node, scope)))
}

function rendered(nodes: readonly Node[], scope: Scope): string {
  const out: string[] = []
  const end = run(nodes, scope, out)
  return end === undefined ? out.join('') : py.fail('a loop', end)
}

/** Those that are not here are expressions, or not supported. */
const STATEMENTS: {
  readonly [T in Node['type']]?: (node: Node<T>, scope: Scope, out: string[]) => End
} = {
  Break: () => 'Break',
  Comment: () => {},
  Continue: () => 'Continue',
  // What `parsed` makes of a generation. Its filter is left out, which is right only because tags.ts refuses any other
  // filter statement.
  FilterStatement: ({ body }, scope, out) => void out.push(rendered(body, inside(scope))),
  For: loop,
  If: ({ test, body, alternate }, scope, out) => {
    return run(py.isTrue(evaluate(test, scope)) ? body : alternate, scope, out)
  },
  Macro: (node, scope) => {
    scope[node.name.value] = macro(node, scope)
  },
  Set: ({ assignee, value, body }, scope) => {
    const isBlock = value === null
    assign(assignee, isBlock ? rendered(body, inside(scope)) : evaluate(value, scope), scope)
  },
}

function loop(node: Node<'For'>, scope: Scope, out: string[]): End {
  const { loopvar, iterable, body, defaultBlock } = node
  const scopeOf = (value: Value): Scope => {
    const inner = inside(scope)
    assign(loopvar, value, inner)
    return inner
  }
  const isFiltered = iterable.type === 'SelectExpression'
  const all = [...py.iterate(evaluate(isFiltered ? iterable.lhs : iterable, scope))]
  const values = isFiltered
    ? all.filter((each) => py.isTrue(evaluate(iterable.test, scopeOf(each))))
    : all
  for (const [at, value] of values.entries()) {
    const inner = scopeOf(value)
    inner['loop'] = loopAt(at, values)
    if (run(body, inner, out) === 'Break') break
  }
  if (values.length === 0) return run(defaultBlock, inside(scope), out)
}

/** The variable `loop`. */
function loopAt(at: number, values: readonly Value[]): Value {
  const { length } = values
  const numbers = { index: at + 1, index0: at, revindex: length - at, revindex0: length - at - 1 }
  const all = { ...numbers, length, first: at === 0, last: at === length - 1 }
  const fields = py.fromJson(all) as Map<Value, Value>
  return fields.set('previtem', values[at - 1]).set('nextitem', values[at + 1])
}

/** Sets what a loop or `set` has on its left. */
function assign(target: Node, value: Value, scope: Scope): void {
  if (value instanceof py.Once) {
    py.fail('a list; add the filter list', value)
  } else if (target.type === 'Identifier') {
    scope[target.value] = value
  } else if (target.type === 'TupleLiteral') {
    const [parts, values] = [target.value, [...py.iterate(value)]]
    if (parts.length !== values.length) return py.fail(`${parts.length} values to set`, value)
    for (const [at, part] of parts.entries()) assign(part, values[at], scope)
  } else if (target.type === 'MemberExpression') {
    assignField(target, value, scope)
  } else {
    py.fail('a namespace to set', undefined)
  }
}

function assignField(target: Node<'MemberExpression'>, value: Value, scope: Scope): void {
  const { object, property } = target
  const fields = evaluate(object, scope)
  if (!(fields instanceof py.Namespace)) return py.fail('a namespace to set', fields)
  const isNamed = property.type === 'Identifier' || property.type === 'StringLiteral'
  // Any other field of a namespace is undefined whenever it is read.
  if (isNamed) fields.all.set(property.value, value)
}

function macro({ args, body }: Node<'Macro'>, scope: Scope): Callable {
  return ({ listed, named }) => {
    const inner = inside(scope)
    const rest = new Map(named)
    for (const [at, parameter] of args.entries()) {
      const hasDefault = parameter.type === 'KeywordArgumentExpression'
      const key = hasDefault ? parameter.key : parameter
      const name = key.value
      if (at < listed.length) assign(key, listed[at], inner)
      else if (rest.has(name)) assign(key, rest.get(name), inner)
      else inner[name] = hasDefault ? evaluate(parameter.value, inner) : undefined
      if (at >= listed.length) rest.delete(name)
    }
    const isFit = listed.length <= args.length && rest.size === 0
    return isFit ? rendered(body, inner) : py.fail(`${args.length} arguments`, undefined)
  }
}

function evaluate<T extends Node['type']>(node: Node<T>, scope: Scope): Value {
  const find = EXPRESSIONS[node.type] ?? py.fail('another expression', node.type)
  return find(node, (part) => evaluate(part, scope), scope)
}

/** Finds the value of a part of an expression. */
type Find = (part: Node) => Value

/** Those that are not here have no value, or are not supported. */
const EXPRESSIONS: {
  readonly [T in Node['type']]?: (node: Node<T>, of: Find, scope: Scope) => Value
} = {
  ArrayLiteral: ({ value }, of) => value.map(of),
  BinaryExpression: ({ operator, left, right }, of) => {
    const { value: sign } = operator
    const value = of(left)
    if (sign === 'and' || sign === 'or')
      return py.isTrue(value) === (sign === 'or') ? value : of(right)
    return (COMPARISONS[sign] ?? OPERATORS[sign])!(value, of(right))
  },
  CallExpression: ({ callee, args }, of) => call(of(callee), args, of),
  FilterExpression: ({ operand, filter }, of) => {
    const isCall = filter.type === 'CallExpression'
    const name = isCall ? filter.callee : filter
    const args = isCall ? filter.args : []
    const callee = name.type === 'Identifier' ? functionIn(FILTERS, name.value) : undefined
    return call(callee, [operand, ...args], of)
  },
  FloatLiteral: ({ value }) => value,
  Identifier: ({ value }, _, scope) => scope[value],
  IntegerLiteral: ({ value }) => BigInt(value),
  MemberExpression: ({ object, property: key, computed }, of) => {
    const value = of(object)
    if (key.type === 'SliceExpression') {
      const bounds = [key.start, key.stop, key.step].map((bound) => bound && of(bound))
      return getSlice(value, bounds)
    }
    const isName = key.type === 'Identifier' && !computed
    return isName ? getAttribute(value, key.value) : getItem(value, of(key))
  },
  ObjectLiteral: ({ value }, of) => {
    const pairs = [...value]
    return new Map(pairs.map(([key, part]) => [py.keyOf(of(key)), of(part)]))
  },
  SelectExpression: ({ lhs, test }, of) => (py.isTrue(of(test)) ? of(lhs) : undefined),
  StringLiteral: ({ value }) => value,
  Ternary: ({ condition, trueExpr, falseExpr }, of) => {
    return of(py.isTrue(of(condition)) ? trueExpr : falseExpr)
  },
  TestExpression: ({ operand, test, negate }, of) => {
    return call(functionIn(TESTS, test.value), [operand], of) !== negate
  },
  TupleLiteral: ({ value }, of) => py.Tuple.from(value, of),
  UnaryExpression: ({ operator, argument }, of) => {
    const { value: sign } = operator
    const value = of(argument)
    return sign === 'not' ? !py.isTrue(value) : OPERATORS['*']!(sign === '-' ? -1n : 1n, value)
  },
}

function call(callee: Value, args: readonly Node[], of: Find): Value {
  const listed: Value[] = []
  const named = new Map<string, Value>()
  for (const node of args) {
    if (node.type === 'KeywordArgumentExpression') named.set(node.key.value, of(node.value))
    else listed.push(of(node))
  }
  return typeof callee === 'function' ? callee({ listed, named }) : py.fail('a function', callee)
}
