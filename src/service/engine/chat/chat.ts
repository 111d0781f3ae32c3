import type { BaseWorld } from '../base-world.js'
import type { ChatRule } from '../../scenario/scenario.js'
import { lengthOf, toAnswer, type Answer, type ReplyError } from './answer.js'
import { BadField, Undrawable } from './bad-field.js'
import { schemasIn } from './client-schemas.js'
import { usageOf, type Completion, type DrawnAnswer } from './completion.js'
import { Draws } from './draws.js'
import { functionReply } from './function-reply.js'
import type { ChatFacts } from '../../scenario/chat-facts.js'
import {
  fillReply,
  hasNoScore,
  isError,
  isOnlyText,
  type FillableReply,
  type Replies,
} from './fill-reply.js'
import { Libraries, type Needs } from './libraries.js'
import { BuiltInJudge } from './judge/built-in-judge.js'
import type { Judging } from './judge/judging.js'
import { havePatterns, matchChat, matchesAll } from './match.js'
import type { ModelTokens } from './model-tokens.js'
import { Pacing } from './pacing.js'
import { holdsFunction } from '../../../base/text/holds-function.js'
import type { PatternMatch } from '../../../base/text/pattern.js'
import type { Lessons } from '../jobs/lessons.js'
import { learnedStepsAt, replyByPolicy } from './policy.js'
import type { CountTokens } from './prompt.js'
import { ProjectUsage } from './project-usage.js'
import { baseModelOf, factsOf, servedName, type ChatRequest } from './request.js'
import { Repeats } from './repeats.js'
import { malformedCallIn } from './malformed-calls.js'
import { contextWindowOf, tokenizerFolderOf } from '../../scenario/base-models.js'
import { fillAnswer } from '../../scenario/chat-template.js'
import type { TokenizerFiles, TokenizerSource } from '../../scenario/tokenizer-files.js'
import { Turns } from './turns.js'
import { fitIntoWindow, type Fitting } from './window.js'

/** A completion, an error from the scenario, or a problem of the request. */
export type ChatOutcome = Completion | ReplyError | BadField

interface ChatWorld extends BaseWorld {
  readonly lessons: Lessons
  readonly tokenizerFiles: TokenizerSource
}

/** A rule that matched, with the matches of its regular expressions. */
interface MatchedRule {
  rule: ChatRule
  found: PatternMatch
}

/** Answers chats by the rules of the scenario. If no rule matches, the answer is random (seeded). */
export class Chat {
  readonly usage: ProjectUsage
  readonly repeats: Repeats
  readonly #world: ChatWorld
  readonly #libraries = new Libraries()
  readonly #turns: Turns
  /** What answers requests for scores. */
  readonly judge: BuiltInJudge

  constructor(world: ChatWorld) {
    this.#world = world
    this.usage = new ProjectUsage(world.changes)
    this.repeats = new Repeats(world.changes)
    this.judge = new BuiltInJudge(world, this.#libraries)
    this.#turns = new Turns(world.changes)
  }

  /** How many of its `answers` each rule has used, in the order of the scenario. */
  get turns(): number[] {
    return this.#turns.of(this.#world.scenario.chat.rules)
  }

  /** Restores saved `turns`. */
  restoreTurns(turns: readonly number[]): void {
    this.#turns.restore(this.#world.scenario.chat.rules, turns)
  }

  /** Whether a library is being loaded, which takes real time. */
  get isLoading(): boolean {
    return this.#libraries.isLoading
  }

  /** Loads the tokenizer of a base model, and returns what counts the tokens of conversations. */
  async tokenCounter(baseModel: string): Promise<CountTokens> {
    const tokenizer = this.#tokenizerFor(baseModel)
    await this.#libraries.load({ tokenizer })
    const tokens = this.#libraries.tokensOf(tokenizer)
    const now = this.#world.clock.now()
    return (conversation, most) => tokens.count(conversation, { most, now })
  }

  /** Answers a chat. If the scenario does not apply adapters, a checkpoint answers as its base model. */
  async complete(request: ChatRequest): Promise<ChatOutcome> {
    const malformed = malformedCallIn(request.params.messages)
    if (malformed !== undefined && this.#world.scenario.chat.refuse_malformed_calls === true) {
      return BadField.worded(null, malformed)
    }
    const completed = await this.#completeAsServed(request)
    if (malformed === undefined || !('answers' in completed)) return completed
    const effect = `a call in the history has arguments that are not JSON, for which older servers answer 400: ${malformed}`
    return { ...completed, effect: [completed.effect, effect].filter(Boolean).join('; ') }
  }

  #completeAsServed(request: ChatRequest): Promise<ChatOutcome> {
    const { served } = request
    if (served.kind === 'base' || this.#world.scenario.chat.apply_adapters !== false) {
      return this.#complete(request)
    }
    const { base_model: id } = served.model.record
    const effect = `its adapter is not applied: it answers like ${id}`
    return this.#complete({ ...request, served: { kind: 'base', id } }).then((completed) => {
      return 'answers' in completed ? { ...completed, effect, answeredBy: id } : completed
    })
  }

  async #complete(request: ChatRequest): Promise<ChatOutcome> {
    await this.#loadFor(request)
    const fitting = this.#fit(request)
    if (fitting instanceof BadField) return fitting
    const schemas = schemasIn(request.params)
    // A request without tools and schemas has not loaded the library.
    const problem = schemas.length > 0 && this.#libraries.structures!.problemIn(schemas)
    if (problem) return problem
    const facts = factsOf(request)
    const matched = this.#match(facts)
    const all = this.#draws(request, facts)
    const context = { request, facts, all, fitting }
    const judging = this.judge.read(request.params, { kind: request.served.kind, ...facts })
    const mistake = judging && this.judge.nextMistake(all.uncount)
    const own =
      judging && mistake === undefined ? await this.#ruled(matched, context, judging) : undefined
    if (!judging || own) {
      if (matched) request.onRule?.(this.#world.scenario.chat.rules.indexOf(matched.rule))
      const cutOff = judging ? 0 : this.#world.scenario.chat.cut_off
      const replies = own ?? (await this.#replies(matched, context))
      const completed = this.#finish(replies, { matched, cutOff, ...context })
      return judging && 'answers' in completed ? { ...completed, isOfJudge: true } : completed
    }
    const { make, judgment } = this.judge.scored(judging, mistake)
    const scores = all.draws.map(() => ({ make }))
    const completed = this.#finish(scores, { matched: undefined, ...context })
    if (!('answers' in completed)) return completed
    return { ...completed, ...judgment(), isOfJudge: true }
  }

  /** Loads what a chat needs. Meanwhile another scenario may apply, which needs more. */
  async #loadFor(request: ChatRequest): Promise<void> {
    const tokenizer = this.#tokenizerFor(baseModelOf(request))
    const loading = this.#libraries.load({ ...this.#needsOf(request), tokenizer })
    if (!loading) return
    await loading
    await this.#loadFor(request)
  }

  /** The window and the tokens of a trained model are those of its base model. */
  #fit(request: ChatRequest): Fitting | BadField {
    const { params } = request
    const { scenario, clock } = this.#world
    const tokens = this.#tokensOf(request)
    const prompt = tokens.prompt(params, { drift: scenario.chat.drift, now: clock.now() })
    if (prompt instanceof BadField) return prompt
    const window = contextWindowOf(scenario, baseModelOf(request))
    return fitIntoWindow(params, window, { prompt, mostCharacters: tokens.mostCharacters })
  }

  /** Whether the tokens of an answer may be others in the next prompt. */
  #mayDrift(request: ChatRequest): boolean {
    const { drift } = this.#world.scenario.chat
    return drift !== undefined || this.#tokenizerFor(baseModelOf(request)) !== undefined
  }

  #tokensOf(request: ChatRequest): ModelTokens {
    return this.#libraries.tokensOf(this.#tokenizerFor(baseModelOf(request)))
  }

  #tokenizerFor(baseModel: string): TokenizerFiles | undefined {
    const { scenario, tokenizerFiles } = this.#world
    return tokenizerFiles(baseModel, tokenizerFolderOf(scenario, baseModel))
  }

  /**
   * Returns the replies of a rule to a request for scores. Undefined if the client cannot read a score in them, and
   * the rule names no model: it is probably meant for the texts that the request quotes.
   */
  async #ruled(
    matched: MatchedRule | undefined,
    context: ReplyContext,
    { write }: Judging,
  ): Promise<Replies | undefined> {
    if (!matched || matched.rule.policy || matched.rule.learner) return undefined
    const { answers, match } = matched.rule
    const namesModel = typeof match === 'object' && match.model !== undefined
    if (write && namesModel) return this.#replies(matched, context)
    const isUnread = write ? hasNoScore : isOnlyText
    const next = this.#turns.next(matched.rule)
    if (answers && typeof next !== 'function' && isUnread(next)) return undefined
    const replies = await this.#replies(matched, context)
    return replies.every(isUnread) ? undefined : replies
  }

  #match(facts: ChatFacts): MatchedRule | undefined {
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
    const asking = this.repeats.add(key, 1)
    const isFixed = temperature === 0 || seed !== undefined
    const variant = `${seed ?? ''} ${isFixed ? '' : asking}`
    return {
      uncount: [() => this.repeats.add(key, -1)],
      id: `chatcmpl-${random.token(24, 'completion', model, prompt, asking)}`,
      draws: Array.from({ length: choices }, (_, choice) => {
        const own = temperature === 0 ? 0 : choice
        return new Draws(random.hash('answer', name, prompt, variant, own), step)
      }),
    }
  }

  /** Returns the reply of the rule for each choice. Undefined if no rule matched. */
  #replies(matched: MatchedRule | undefined, context: ReplyContext): Replies | Promise<Replies> {
    const { draws } = context.all
    if (!matched) return draws.map(() => undefined)
    const { rule } = matched
    if (rule.policy) {
      const { served } = context.request
      const checkpoints = served.kind === 'base' ? undefined : served.model.checkpoints
      const steps = learnedStepsAt(rule.policy, context.facts.step, checkpoints)
      return draws.map((each) => replyByPolicy(rule.policy!, steps, each))
    }
    if (rule.learner) return this.#learned(matched, context)
    const answer = rule.answer ?? this.#turns.take(rule, context.all.uncount)
    if (typeof answer !== 'function') return draws.map(() => answer)
    const { scenario } = this.#world
    return Promise.all(
      draws.map(async () => functionReply(await answer(context.facts), rule, scenario)),
    )
  }

  #learned({ rule, found }: MatchedRule, { request, facts, all }: ReplyContext): Replies {
    const { learner: Loaded, sentences } = this.#libraries
    const learner = new Loaded!({
      rule: rule.learner!,
      request,
      prompt: facts,
      lessons: this.#world.lessons,
      sentences: sentences!,
      fill: (text) => fillAnswer(text, facts, found),
    })
    return all.draws.map((draws) => {
      const filled = learner.answer(draws)
      return filled && { make: () => filled }
    })
  }

  #finish(replies: Replies, context: CompletionContext): ChatOutcome {
    try {
      return this.#completion(replies, context)
    } catch (error) {
      if (!(error instanceof Undrawable)) throw error
      for (const undo of context.all.uncount) undo()
      return error.problem
    }
  }

  #completion(replies: Replies, context: CompletionContext): Completion | ReplyError {
    const { request, facts, matched, all: drawn, fitting, cutOff = 0 } = context
    const error = replies.find(isError)
    if (error) return error
    const { params } = request
    const tokens = this.#tokensOf(request)
    const { chat } = this.#world.scenario
    const splitOtherwise = chat.drift === 'retokenizes' ? tokens.split : undefined
    const { formatArguments } = tokens
    const found = matched?.found ?? {}
    const thinks = chat.drift === 'stripsThinking'
    const libraries = this.#libraries
    const filling = { params, facts, found, libraries, formatArguments, thinks }
    const answers = replies.map((reply, choice): DrawnAnswer => {
      const draws = drawn.draws[choice]!
      const filled = fillReply(reply as FillableReply, { ...filling, draws })
      const sampling = {
        prompt: fitting.prompt,
        splitOtherwise,
        callId: (call: number) => `call_${this.#world.random.token(24, drawn.id, choice, call)}`,
      }
      const upTo = (maxTokens: number): Answer => {
        return toAnswer(filled, { ...params, maxTokens }, sampling)
      }
      const answer = upTo(fitting.most)
      const most = lengthWhenCut(answer, { share: cutOff, draws })
      return { answer: most === undefined ? answer : upTo(most), draws }
    })
    const length = answers.reduce((sum, { answer }) => sum + lengthOf(answer), 0)
    const mayDrift = this.#mayDrift(request)
    const promptIds = params.returnsTokenIds || mayDrift ? fitting.prompt.ids() : undefined
    const pace = matched?.rule.pace ?? chat.pace
    return {
      id: drawn.id,
      model: params.model,
      created: Math.floor(this.#world.clock.now() / 1000),
      answers,
      usage: usageOf(fitting.length, length),
      promptTokenIds: params.returnsTokenIds ? promptIds : undefined,
      driftingIds: mayDrift ? promptIds : undefined,
      alternatives: tokens.alternatives,
      pacing: pace && new Pacing(pace, drawn.draws[0]!),
    }
  }

  #needsOf({ params, served }: ChatRequest): Omit<Needs, 'tokenizer'> {
    const { rules } = this.#world.scenario.chat
    const judge = this.judge.mayJudge(params, { kind: served.kind, name: servedName(served) })
    const judged = judge ? this.judge.rules : undefined
    const learner = rules.some((rule) => rule.learner)
    return {
      // A function may ask for the default answer.
      sentences: learner || !rules.some((rule) => matchesAll(rule) && !holdsFunction(rule)),
      structures: judge || params.tools.length > 0 || typeof params.format === 'object',
      patterns: havePatterns(rules, judged?.rules),
      judge,
      learner,
    }
  }
}

interface AllDraws {
  /** Takes back what the request was counted as. A request that is refused has no effect. */
  readonly uncount: (() => void)[]
  id: string
  draws: readonly Draws[]
}

interface ReplyContext {
  request: ChatRequest
  facts: ChatFacts
  all: AllDraws
}

interface CompletionContext extends ReplyContext {
  matched: MatchedRule | undefined
  fitting: Fitting
  /** The share of answers that are cut off. Default: none. */
  cutOff?: number | undefined
}

/** Draws after how many tokens an answer is cut off. Undefined: it stays whole. */
function lengthWhenCut(
  answer: Answer,
  { share, draws }: { share: number; draws: Draws },
): number | undefined {
  if (draws.unit('cut') >= share) return undefined
  const length = lengthOf(answer)
  return Math.max(1, Math.floor(length * (0.2 + 0.6 * draws.unit('cut', 1))))
}
