import type { SeededRandom } from '../../random/random.js'
import type { Clock } from '../../clock/clock.js'
import type { Changes } from '../snapshot/changes.js'
import type { ChatRule, Reply, Scenario } from '../../scenario/scenario.js'
import { toAnswer, tokensOf, type FilledReply, type ReplyError } from './answer.js'
import { BadField, FORMAT_AT } from './chat-params.js'
import type { Completion, Drawn } from './completion.js'
import { defaultAnswer, drawArguments } from './default-answer.js'
import { Draws } from './draws.js'
import type { ChatFacts } from '../../scenario/chat-facts.js'
import { Libraries, type Needs } from './libraries.js'
import { havePatterns, matchChat, matchesAll } from './match.js'
import { Pacing } from './pacing.js'
import type { Found } from '../../text/pattern.js'
import { learnedStepsAt, replyByPolicy } from './policy.js'
import { promptTokenIds, promptTokens } from './prompt.js'
import type { Tokenizer } from './tokenizer.js'
import { ProjectUsage } from './project-usage.js'
import { factsOf, type ChatRequest } from './request.js'
import { fillTemplate } from '../../scenario/chat-template.js'

/** A completion, an error from the scenario, or a problem of the request. */
export type Completed = Completion | ReplyError | BadField

interface ChatWorld {
  readonly clock: Clock
  readonly random: SeededRandom
  readonly changes: Changes
  readonly scenario: Scenario
}

/** A rule that matched, with the matches of its regular expressions. */
interface Matched {
  rule: ChatRule
  found: Found
}

/** Answers chats by the rules of the scenario. If no rule matches, the answer is random (seeded). */
export class Chat {
  readonly usage: ProjectUsage
  /** How often each prompt was repeated. */
  readonly repeats = new Map<string, number>()
  readonly #world: ChatWorld
  readonly #libraries = new Libraries()
  /** How many of its `answers` each rule has used. */
  readonly #answered = new WeakMap<ChatRule, number>()

  constructor(world: ChatWorld) {
    this.#world = world
    this.usage = new ProjectUsage(world.changes)
  }

  /** How many of its `answers` each rule has used, in the order of the scenario. */
  get turns(): number[] {
    return this.#world.scenario.chat.rules.map((rule) => this.#answered.get(rule) ?? 0)
  }

  /** Restores saved `turns`. */
  restoreTurns(turns: readonly number[]): void {
    for (const [index, rule] of this.#world.scenario.chat.rules.entries()) {
      this.#answered.set(rule, turns[index] ?? 0)
    }
  }

  /** Whether a library is being loaded, which takes real time. */
  get isLoading(): boolean {
    return this.#libraries.isLoading
  }

  /** Returns the tokenizer. The first call loads it. */
  async tokenizer(): Promise<Tokenizer> {
    await this.#libraries.load({ sentences: false, structures: false, patterns: false })
    return this.#libraries.tokenizer!
  }

  /** Answers a chat. */
  async complete(request: ChatRequest): Promise<Completed> {
    await this.#libraries.load(needsOf(request, this.#world.scenario.chat.rules))
    const problem = this.#findSchemaProblem(request)
    if (problem) return problem
    const facts = factsOf(request)
    const matched = this.#match(facts)
    const all = this.#draws(request, facts)
    const replies = await this.#replies(matched, { request, facts, all })
    return this.#finish(replies, { request, facts, matched, all })
  }

  /**
   * Finds a problem in the schemas of a request. A schema that the answer must match may have no keyword with a
   * value of the wrong type. In the schemas of other tools such keywords are ignored, because clients have
   * written `type: dict` for years.
   */
  #findSchemaProblem({ params }: ChatRequest): BadField | undefined {
    const { structures } = this.#libraries
    const { format, tools, toolChoice } = params
    for (const { name, parameters, at } of tools) {
      const isDemanded = typeof toolChoice === 'object' && toolChoice.name === name
      const isStrict = toolChoice === 'required' || isDemanded
      const problem = structures!.problemOf(parameters, at, isStrict)
      if (problem) return problem
    }
    return typeof format === 'object'
      ? structures!.problemOf(format.schema, FORMAT_AT, true)
      : undefined
  }

  #match(facts: ChatFacts): Matched | undefined {
    for (const rule of this.#world.scenario.chat.rules) {
      const found = matchChat(rule, facts, this.#libraries)
      if (found) return { rule, found }
    }
    return undefined
  }

  /**
   * Returns the random draws of each choice. At temperature 0, or with a `seed` in the request, the same prompt
   * always has the same draws. Otherwise the draws also depend on how often the prompt was repeated, but never
   * on other prompts.
   */
  #draws({ params }: ChatRequest, { name, step }: ChatFacts): AllDraws {
    const { random } = this.#world
    const { model, seed, temperature, choices } = params
    const prompt = random.token(24, 'prompt', JSON.stringify(params.messages))
    const key = `${model}\u001f${prompt}`
    const asking = (this.repeats.get(key) ?? 0) + 1
    this.repeats.set(key, asking)
    this.#world.changes.asking(key, asking)
    const isFixed = temperature === 0 || seed !== undefined
    const variant = `${seed ?? ''} ${isFixed ? '' : asking}`
    return {
      id: `chatcmpl-${random.token(24, 'completion', model, prompt, asking)}`,
      draws: Array.from({ length: choices }, (_, choice) => {
        const own = temperature === 0 ? 0 : choice
        return new Draws(random.hash('answer', name, prompt, variant, own), step)
      }),
    }
  }

  /** Returns the reply of the rule for each choice. Undefined if no rule matched. */
  #replies(matched: Matched | undefined, context: ReplyContext): Replies | Promise<Replies> {
    const { draws } = context.all
    if (!matched) return draws.map(() => undefined)
    const { rule } = matched
    if (rule.policy) {
      const { served } = context.request
      const checkpoints = served.kind === 'base' ? undefined : served.model.checkpoints
      const steps = learnedStepsAt(rule.policy, context.facts.step, checkpoints)
      return draws.map((each) => replyByPolicy(rule.policy!, steps, each))
    }
    const answer = rule.answer ?? this.#nextAnswer(rule)
    if (typeof answer !== 'function') return draws.map(() => answer)
    return Promise.all(draws.map(async () => answer(context.facts)))
  }

  #nextAnswer(rule: ChatRule): NonNullable<ChatRule['answers']>[number] {
    const { answers = [], repeat } = rule
    const turn = this.#answered.get(rule) ?? 0
    this.#answered.set(rule, turn + 1)
    this.#world.changes.chatTurns()
    return answers[repeat ? turn % answers.length : Math.min(turn, answers.length - 1)]!
  }

  #finish(replies: Replies, context: CompletionContext): Completed {
    try {
      return this.#completion(replies, context)
    } catch (error) {
      // Recognized by its content, because the module of its class is loaded only for schemas.
      const { problem } = Object(error) as { problem?: unknown }
      if (problem instanceof BadField) return problem
      throw error
    }
  }

  #completion(replies: Replies, context: CompletionContext): Completion | ReplyError {
    const { request, matched, all: drawn } = context
    const error = replies.find((reply) => typeof reply === 'object' && 'error' in reply)
    if (error) return error
    const { params } = request
    const tokenizer = this.#libraries.tokenizer!
    const answers = replies.map((reply, choice): Drawn => {
      const draws = drawn.draws[choice]!
      const filled = this.#fill(reply as Exclude<Reply, ReplyError>, { ...context, draws })
      const answer = toAnswer(filled, params, {
        split: (text) => tokenizer.split(text),
        callId: (call) => `call_${this.#world.random.token(24, drawn.id, choice, call)}`,
      })
      return { answer, draws }
    })
    const prompt_tokens = promptTokens(params, tokenizer)
    const completion_tokens = answers.reduce((sum, { answer }) => sum + tokensOf(answer).length, 0)
    const total_tokens = prompt_tokens + completion_tokens
    const pace = matched?.rule.pace ?? this.#world.scenario.chat.pace
    return {
      id: drawn.id,
      model: params.model,
      created: Math.floor(this.#world.clock.now() / 1000),
      answers,
      usage: { prompt_tokens, completion_tokens, total_tokens },
      promptTokenIds: params.returnsTokenIds ? promptTokenIds(params, tokenizer) : undefined,
      alternatives: tokenizer.alternatives,
      pacing: pace && new Pacing(pace, drawn.draws[0]!),
    }
  }

  #fill(reply: Exclude<Reply, ReplyError> | undefined, context: FillContext): FilledReply {
    const { request, facts, matched, draws } = context
    if (reply === undefined) return defaultAnswer(request.params, this.#libraries, draws)
    const fill = (text: string): string => fillTemplate(text, facts, matched?.found ?? {})
    if (typeof reply === 'string') return { content: fill(reply) }
    const { content, refusal, tool_calls: calls, finish_reason } = reply
    return {
      content: content === undefined ? undefined : fill(content),
      refusal: refusal === undefined ? undefined : fill(refusal),
      tool_calls: calls?.map(({ name, arguments: args }, call) => ({
        name,
        arguments:
          args === undefined
            ? drawArguments(name, {
                params: request.params,
                libraries: this.#libraries,
                draws,
                call,
              })
            : formatArguments(args, fill),
      })),
      finish_reason,
    }
  }
}

interface AllDraws {
  id: string
  draws: readonly Draws[]
}

type Replies = readonly (Reply | undefined)[]

interface ReplyContext {
  request: ChatRequest
  facts: ChatFacts
  all: AllDraws
}

interface CompletionContext extends ReplyContext {
  matched: Matched | undefined
}

interface FillContext extends Omit<CompletionContext, 'all'> {
  draws: Draws
}

type ToolCalls = NonNullable<Exclude<Reply, string | ReplyError>['tool_calls']>

/** Formats arguments as JSON text, as on the wire. */
function formatArguments(
  args: NonNullable<ToolCalls[number]['arguments']>,
  fill: (text: string) => string,
): string {
  if (typeof args === 'string') return fill(args)
  return JSON.stringify(args, (_key, value: unknown) => {
    return typeof value === 'string' ? fill(value) : value
  })
}

function needsOf({ params }: ChatRequest, rules: readonly ChatRule[]): Needs {
  return {
    sentences: !rules.some(matchesAll),
    structures: params.tools.length > 0 || typeof params.format === 'object',
    patterns: havePatterns(rules),
  }
}
