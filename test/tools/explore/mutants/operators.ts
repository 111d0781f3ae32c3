import { isNode, part, type Node, type Place } from './syntax.js'

/**
 * Mistakes that people make in training loops, as changes of the text of a program. They were written before the
 * detectors of `explore`, and know nothing of them.
 */
export interface Operator {
  readonly name: string
  /** What is wrong with the program then. */
  readonly mistake: string
  /** Makes the mistake at a place. Undefined if it cannot be made there. */
  readonly change: (place: Place) => Change | undefined
}

/** A text that stands in place of another one. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

const instead = ({ start, end }: Node, text: string): Change => ({ start, end, text })
const without = (node: Node): Change => instead(node, ';')

/** An operator for nodes of one type whose text matches. */
function at(
  type: string,
  pattern: RegExp,
  change: (node: Node, place: Place) => Change | undefined,
): Operator['change'] {
  return (place) => {
    const { node, source } = place
    return node.type === type && pattern.test(source(node)) ? change(node, place) : undefined
  }
}

/** An operator for `if` statements whose condition matches. */
function ifTests(
  pattern: RegExp,
  change: (node: Node, place: Place) => Change | undefined,
): Operator['change'] {
  return (place) => {
    const { node, source } = place
    const test = node.type === 'IfStatement' && part(node, 'test')
    return test && pattern.test(source(test)) ? change(node, place) : undefined
  }
}

/** The name of the method that a node calls. */
function methodOf({ node, source }: Place): string | undefined {
  const property = node.type === 'CallExpression' && part(node, 'callee', 'property')
  return property ? source(property) : undefined
}

function argumentsOf(node: Node): Node[] {
  return (node['arguments'] as unknown[]).filter(isNode)
}

/** The name of the innermost function with a name. */
function functionOf({ around, source }: Place): string {
  for (const node of around) {
    const name = part(node, node.type === 'MethodDefinition' ? 'key' : 'id')
    if (name && /Function|Method/.test(node.type)) return source(name)
  }
  return ''
}

const isIn = ({ around }: Place, type: string): boolean => around.some((node) => node.type === type)

/** Removes an item of a list, with its comma. */
function withoutItem({ node, around, source }: Place): Change | undefined {
  const [list] = around
  if (list?.type !== 'ArrayExpression') return undefined
  const items = (list['elements'] as unknown[]).filter(isNode)
  if (items.length < 2) return undefined
  return instead(
    list,
    `[${items
      .filter((item) => item !== node)
      .map(source)
      .join(', ')}]`,
  )
}

export const operators: readonly Operator[] = [
  {
    name: 'drop-cursor',
    mistake: 'It never sends the cursor of a list.',
    change: at('TemplateLiteral', /^`&after=/, (node) => instead(node, `''`)),
  },
  {
    name: 'stuck-cursor',
    mistake: 'The cursor of a list stays at its first value.',
    change: at('AssignmentExpression', /^\S*cursor = (?!undefined)/i, (node, { source }) =>
      instead(node, source(node).replace(' = ', ' ??= ')),
    ),
  },
  {
    name: 'lagging-cursor',
    mistake: 'The cursor of a list is an item too early.',
    change: at('AssignmentExpression', /^\S*cursor = .*(?:at\(-1\)|last_id)/i, (node, { source }) =>
      instead(node, source(node).replace('at(-1)', 'at(-2)').replace('last_id', 'first_id')),
    ),
  },
  {
    name: 'first-page-only',
    mistake: 'It reads the first page of a list, and takes it for all.',
    change: at('MemberExpression', /\.has_more$/, (node) => instead(node, 'false')),
  },
  {
    name: 'trust-cursor',
    mistake: 'It does not expect that the service forgets a cursor.',
    change: (place) => {
      const isReset =
        place.node.type === 'IfStatement' &&
        place.source(part(place.node, 'test')!).includes('cursor')
      if (!isReset || !place.source(place.node).includes('404')) return undefined
      const keeps = place.source(part(place.node, 'consequent')!).endsWith('throw error')
      return keeps ? instead(part(place.node, 'test')!, 'true') : without(place.node)
    },
  },
  {
    name: 'drop-retry',
    mistake: 'It makes a call once, and does not repeat it after an error.',
    change: (place) => {
      if (methodOf(place) !== 'retrying') return undefined
      return instead(place.node, `(${place.source(argumentsOf(place.node)[0]!)})()`)
    },
  },
  {
    name: 'retry-creation',
    mistake: 'It repeats a call that creates a job, although the first one may have worked.',
    change: (place) => {
      if (methodOf(place) !== 'post' || isIn(place, 'ArrowFunctionExpression')) return undefined
      return instead(place.node, `api.retrying(() => ${place.source(place.node)})`)
    },
  },
  {
    name: 'repeat-call',
    mistake: 'It makes a call twice that creates a job.',
    change: (place) => {
      if (methodOf(place) !== 'post' || isIn(place, 'ArrowFunctionExpression')) return undefined
      const call = place.source(place.node)
      return instead(place.node, `${call}.then(() => ${call})`)
    },
  },
  {
    name: 'reuse-batch',
    mistake: 'After a job that failed, it submits the same answers again.',
    change: at('AwaitExpression', /^await gather\(/, (node, { source }) =>
      instead(node, `(gather.last ??= ${source(node)})`),
    ),
  },
  {
    name: 'forget-lost-job',
    mistake: 'After a submission without an answer, it does not look whether there was a job.',
    change: ifTests(/^\w+$/, (node, { source }) => {
      const [test, then] = [part(node, 'test')!, part(node, 'consequent')!]
      if (!/^await \w+\(/.test(source(then))) return undefined
      return instead(node, `if (!${source(test)}) continue; ${source(then)}`)
    }),
  },
  {
    name: 'ignore-status',
    mistake: 'It does not look at the status of an error in one place.',
    change: (place) => {
      const { node, source } = place
      if (node.type !== 'LogicalExpression') return undefined
      const [left, right] = [part(node, 'left')!, part(node, 'right')!]
      if (/^\w*error\.status [=>]/.test(source(left))) return instead(node, source(right))
      if (/^\w*error\.status [=>]/.test(source(right))) return instead(node, source(left))
      return undefined
    },
  },
  {
    name: 'forget-status',
    mistake: 'It does not know that calls with one status may work later.',
    change: (place) => {
      const { node } = place
      const isStatus = typeof node['value'] === 'number' && node['value'] >= 400
      return isStatus ? withoutItem(place) : undefined
    },
  },
  {
    name: 'ignore-refusal',
    mistake: 'It takes an answer for a success, whatever its status is.',
    change: ifTests(/^!\w+\.ok$/, without),
  },
  {
    name: 'ignore-unreadable',
    mistake: 'It takes an answer that is not JSON for an answer.',
    change: ifTests(/^answer === undefined$/, without),
  },
  {
    name: 'ignore-failed-job',
    mistake: 'It does not notice that a job failed.',
    change: ifTests(/=== '(?:training_)?failed'$/, without),
  },
  {
    name: 'failed-is-done',
    mistake: 'It takes the end of a job that failed for a success.',
    change: ifTests(/=== '(?:training_)?failed'$/, (node) =>
      instead(part(node, 'consequent')!, 'return'),
    ),
  },
  {
    name: 'ignore-retry-after',
    mistake: 'It does not wait as long as Retry-After says.',
    change: at('CallExpression', /\.get\('retry-after'\)$/, (node) => instead(node, 'null')),
  },
  {
    name: 'drop-wait',
    mistake: 'It does not wait before it calls again.',
    change: at('ExpressionStatement', /^await [\w.]+\.sleep\(/, without),
  },
  {
    name: 'drop-timeout',
    mistake: 'Its calls have no timeout.',
    change: at('Property', /^signal: AbortSignal\.timeout\(/, (node) =>
      instead(node, 'signal: null'),
    ),
  },
  {
    name: 'endless-wait',
    mistake: 'It waits for a job without a limit.',
    change: (place) => {
      const test = place.node.type === 'ForStatement' && part(place.node, 'test')
      return test && /MOST_\w*POLLS/.test(place.source(test)) ? instead(test, 'true') : undefined
    },
  },
  {
    name: 'endless-retry',
    mistake: 'It repeats a call without a limit.',
    change: ifTests(/^attempt === MOST_\w+$/, without),
  },
  {
    name: 'drop-resume',
    mistake: 'It does not use what it stored before.',
    change: at('CallExpression', /^state\.get\('\w+'\)$/, (node, place) => {
      return functionOf(place) === 'main' ? undefined : instead(node, 'undefined')
    }),
  },
  {
    name: 'drop-note',
    mistake: 'It does not store what it needs later.',
    change: at('ExpressionStatement', /^state\.(?:set|delete)\(/, without),
  },
  {
    name: 'delete-wrong',
    mistake: 'It deletes the checkpoints that it wants to keep, and keeps the others.',
    change: at('UnaryExpression', /^!\w+\.has\(/, (node, { source }) =>
      instead(node, source(part(node, 'argument')!)),
    ),
  },
  {
    name: 'keep-less',
    mistake: 'It deletes a checkpoint that it still needs.',
    change: (place) => {
      const { node, around } = place
      const isKept = node.type === 'Identifier' && around[1]?.type === 'NewExpression'
      return isKept ? withoutItem(place) : undefined
    },
  },
  {
    name: 'choose-the-worst',
    mistake: 'It takes the checkpoint with the lowest score for the best one.',
    change: at('BinaryExpression', /^\w+ > best\.\w+$/, (node, { source }) =>
      instead(node, source(node).replace('>', '<')),
    ),
  },
  {
    name: 'skip-nan-check',
    mistake: 'It does not check whether a metric is a number.',
    change: at('CallExpression', /^Number\.isFinite\(/, (node) => instead(node, 'true')),
  },
  {
    name: 'parse-plainly',
    mistake: 'It does not expect NaN in an answer.',
    change: at('CallExpression', /^\w+\.replace\(\/[^]*NaN/, (node, { source }) =>
      instead(node, source(part(node, 'callee', 'object')!)),
    ),
  },
  {
    name: 'use-unserved',
    mistake: 'It uses a new checkpoint before it answers.',
    change: at('AwaitExpression', /^await isServed\(/, (node) => instead(node, 'true')),
  },
  {
    name: 'untrained-policy',
    mistake: 'It samples from the untrained model.',
    change: at('TemplateLiteral', /:step\$\{step\}`$/, (node, { source }) =>
      instead(node, source(node).replace(/\$\{step\}`$/, '0`')),
    ),
  },
  {
    name: 'count-twice',
    mistake: 'What comes again counts again.',
    change: ifTests(/^[\w.#]+\.(?:has|includes)\(/, (node, { source }) => {
      const then = source(part(node, 'consequent')!)
      return /^(?:return|continue)$/.test(then) ? without(node) : undefined
    }),
  },
  {
    name: 'accept-forged',
    mistake: 'It does not check the signature of a webhook.',
    change: ifTests(/^verdict /, without),
  },
  {
    name: 'drop-return-existing',
    mistake: 'It creates a model that may exist, and does not ask for that one.',
    change: at('Property', /^return_existing: true$/, (node) =>
      instead(node, 'return_existing: false'),
    ),
  },
  {
    name: 'hide-error',
    mistake: 'It hides an error, and goes on.',
    change: at('ThrowStatement', /^throw error$/, (node, place) => {
      const [parent] = place.around
      const test = parent?.type === 'IfStatement' ? place.source(part(parent, 'test')!) : ''
      return isIn(place, 'CatchClause') && !test.includes('MOST_')
        ? instead(node, 'return undefined')
        : undefined
    }),
  },
  {
    name: 'give-up-silently',
    mistake: 'It gives up, and goes on as if all were well.',
    change: (place) => {
      const { node, around } = place
      const [body, owner] = around
      const statements = body?.type === 'BlockStatement' ? (body['body'] as Node[]) : []
      const isEnd = owner?.type.includes('Function') && statements.at(-1) === node
      if (!isEnd || node.type !== 'ThrowStatement') return undefined
      return instead(node, functionOf(place) === 'trainStep' ? 'return before' : 'return')
    },
  },
  {
    name: 'assume-step',
    mistake: 'It counts its steps itself, and does not ask for the new checkpoint.',
    change: at('AwaitExpression', /^await checkpointAfter\(/, (node) =>
      instead(node, 'before + 1'),
    ),
  },
  {
    name: 'accept-cut-off',
    mistake: 'It trains on answers that were cut off.',
    change: ifTests(/finish_reason === 'length'/, without),
  },
  {
    name: 'accept-untrainable',
    mistake: 'It trains on answers without looking at them.',
    change: at('CallExpression', /^isTrainable\(/, (node) => instead(node, 'true')),
  },
  {
    name: 'failed-is-zero',
    mistake: 'A judge that fails counts as a score of 0.',
    change: (place) => {
      const body = place.node.type === 'CatchClause' && part(place.node, 'body')
      return body && functionOf(place) === 'judge'
        ? instead(body, '{ return texts.map(() => 0) }')
        : undefined
    },
  },
  {
    name: 'drop-await',
    mistake: 'It does not wait for a call to end, and does not see its error.',
    change: at('ExpressionStatement', /^await (?!\w+\.sleep|Promise)/, (node, { source }) =>
      instead(node, `void ${source(part(node, 'expression', 'argument')!)}.catch(() => {})`),
    ),
  },
]
